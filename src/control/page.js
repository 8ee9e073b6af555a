// SPDX-License-Identifier: BSD-2-Clause
// The page, live: once a second it takes /status.json and puts its numbers where they stand already. What
// comes from the network is set as text, never as HTML.
"use strict";
(function () {
	const EVERY_MS = 1000, POINTS = 121, SVG = "http://www.w3.org/2000/svg";
	const rates = [];
	let before = null;

	function at(id) {
		return document.getElementById(id);
	}

	function put(id, text) {
		const e = at(id);
		if (e.textContent !== text)
			e.textContent = text;
	}

	function number(n) {
		return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, " ");
	}

	function seconds(s) {
		if (s >= 1)
			return +s.toPrecision(2) + " s";
		return s >= 1e-3 ? +(s * 1e3).toPrecision(2) + " ms" : +(s * 1e6).toPrecision(2) + " µs";
	}

	function span(s) {
		const d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
		return d > 0 ? d + " d " + h + " h" : h > 0 ? h + " h " + m + " min" : m > 0 ? m + " min" : Math.floor(s) + " s";
	}

	function sum(list) {
		return list.reduce((a, b) => a + b, 0);
	}

	// How long an upstream takes over what it is usually asked over.
	function roundTrip(u) {
		const rtt = "udp" in u ? u.udp : Object.values(u).find(v => v !== null && "ms" in Object(v));
		return rtt ? seconds(rtt.ms / 1e3) : "–";
	}

	// The rows of a table: cells are text, {n: number}, {text, kind} or {part: 0 to 1}, a bar.
	function fill(id, rows) {
		const body = at(id).tBodies[0], fresh = document.createElement("tbody");
		for (const row of rows) {
			const tr = fresh.insertRow();
			for (const cell of row) {
				const td = tr.insertCell();
				if (typeof cell !== "object") {
					td.textContent = cell;
				} else if ("part" in cell) {
					const bar = document.createElement("i");
					bar.style.width = 100 * cell.part + "%";
					td.className = "bar";
					td.append(bar);
				} else if ("n" in cell) {
					td.className = "n";
					td.textContent = typeof cell.n === "number" ? number(cell.n) : cell.n;
				} else {
					td.className = cell.kind;
					td.textContent = cell.text;
				}
			}
		}
		body.replaceWith(fresh);
	}

	// The numbers of a table whose rows are always the same; what they are the daemon has written.
	function fillNumbers(id, numbers) {
		numbers.forEach((n, i) => { at(id).rows[i].cells[1].textContent = number(n); });
	}

	function draw(svg, name, attributes) {
		const e = document.createElementNS(SVG, name);
		for (const [k, v] of Object.entries(attributes))
			e.setAttribute(k, v);
		svg.append(e);
	}

	function drawRates() {
		const svg = at("rates"), most = Math.max(1, ...rates);
		const points = rates.map((r, i) => (POINTS - rates.length + i) + "," + (98 - 94 * r / most).toFixed(1));
		svg.replaceChildren();
		for (const y of [4, 51, 98])
			draw(svg, "line", {class: "grid", x1: 0, x2: 120, y1: y, y2: y});
		if (points.length > 1) {
			draw(svg, "polygon", {class: "area",
				points: (POINTS - rates.length) + ",98 " + points.join(" ") + " 120,98"});
			draw(svg, "polyline", {class: "line", points: points.join(" ")});
		}
		put("ratesfrom", "2 minutes ago");
		put("ratesmost", "most: " + number(most));
	}

	// Below what the part p of the waits was, by the bounds of the buckets.
	function below(l, counts, p) {
		let left = p * sum(counts);
		if (left === 0)
			return "–";
		for (let i = 0; i < counts.length; i++) {
			left -= counts[i];
			if (left <= 0)
				return i < l.bounds_s.length ? "≤ " + seconds(l.bounds_s[i]) : "> " + seconds(l.bounds_s[i - 1]);
		}
	}

	function drawWaits(l) {
		const svg = at("waits"), most = Math.max(1, ...l.counts), n = sum(l.counts);
		svg.replaceChildren();
		draw(svg, "line", {class: "grid", x1: 0, x2: 190, y1: 98, y2: 98});
		l.counts.forEach((c, i) => draw(svg, "rect", {class: "bar", x: 10 * i + 1, width: 8,
			y: 98 - 94 * c / most, height: 94 * c / most}));
		put("waitstext", n === 0 ? "none so far" : number(n) + " answers waited, " + seconds(l.sum_s / n) + " on average");
	}

	function show(s) {
		const c = s.counters, questions = c.client_udp + c.client_tcp;
		const answers = Object.entries(s.outcomes).filter(([k]) => k !== "dropped");
		const all = v => v.cache + v.local + v.upstream, most = Math.max(1, ...answers.map(([, v]) => all(v)));
		const now = {time: s.time, questions: questions, waits: s.latency.counts, answers: s.answers};
		const kinds = {good: "good", "in doubt": "warn", "without a socket": "bad", down: "bad", active: "good", drain: "warn"};

		put("state", s.verdict + (s.reason === null ? "" : ": " + s.reason));
		at("state").className = "state " + ({ready: "good", degraded: "warn"}[s.verdict] || "bad");
		put("uptime", span(s.uptime_s));
		put("silent", s.loops_silent > 0 ? s.loops_silent + " loops do not answer" : "");
		put("questions", number(questions));
		put("inflight", number(sum(s.loops.map(l => l.in_flight))));
		if (before !== null && s.time > before.time && questions >= before.questions) {
			const waits = s.latency.counts.map((n, i) => n - before.waits[i]);
			const grown = name => now.answers[name] - before.answers[name];
			const part = name => grown("all") > 0 ? Math.round(100 * grown(name) / grown("all")) + " %" : "–";
			rates.push((questions - before.questions) / (s.time - before.time));
			if (rates.length > POINTS)
				rates.shift();
			put("rate", number(rates[rates.length - 1]));
			put("cached", part("cached"));
			put("failed", part("failed"));
			put("median", below(s.latency, waits, .5));
			put("p95", below(s.latency, waits, .95));
			drawRates();
		}
		if (before === null || s.time - before.time > .5)
			before = now;
		drawWaits(s.latency);
		fill("outcomes", answers.filter(([, v]) => all(v) > 0).map(([k, v]) =>
			[k, {n: v.cache}, {n: v.local}, {n: v.upstream}, {part: all(v) / most}]));
		fill("addresses", s.listening.map(a => [a, {text: "served", kind: "good"}])
			.concat(s.waiting.map(w => [w.listen, {text: w.why, kind: "warn"}])));
		fill("prefixes", s.prefixes.map(p => [p.prefix,
			{text: p.state + (p.cause === "probe" ? " by prefix-check" : "") + (p.held ? ", fails" : ""),
				kind: p.held ? "warn" : kinds[p.state] || "bad"},
			!p.check ? "" : (p.check.state === "active" ? "up" : "down") + " since " +
				new Date(p.check.since * 1000).toLocaleString("sv") +
				(p.check.error ? ", last error: " + p.check.error : "")]));
		fill("upstreams", s.upstreams.map(u => [u.address, u.by_operator !== null
			? {text: u.by_operator.state + " by operator", kind: "warn"}
			: {text: u.state, kind: kinds[u.state] || "bad"},
			{n: roundTrip(u)}, {n: u.sends}, {n: u.replies}, {n: u.lost},
			{n: Math.round(u.share_percent) + " %"}]));
		if (s.cache !== null)
			fillNumbers("cache", Object.values(s.cache).concat([c.cache_hits, c.cache_misses]));
		fillNumbers("drops", [all(s.outcomes.dropped), c.client_refused, c.rate_limited, c.no_room, c.socket_drops,
			c.upstream_mismatch, s.denied.length]);
		fill("loops", s.loops.map((l, i) => ["" + i, {n: l.questions}, {n: l.in_flight}, {n: l.clients}]));
	}

	async function poll() {
		try {
			const reply = await fetch("/status.json", {cache: "no-store"});
			if (!reply.ok)
				throw new Error("status " + reply.status);
			show(await reply.json());
			document.body.classList.add("live");
		} catch (e) {
			put("state", "no answer from the daemon");
			at("state").className = "state bad";
		}
		setTimeout(poll, EVERY_MS);
	}

	poll();
})();
