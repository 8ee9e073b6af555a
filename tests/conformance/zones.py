# SPDX-License-Identifier: BSD-2-Clause
"""zones: what the upstream knows and says: what a resolver would from the records of a case, unless
the case has a reply of its own for that question."""

import wire

ROOT_SOA = "a.root. nobody.invalid. 1 3600 1200 604800 %d"


def below(name, apex):
    return apex == "." or name == apex or name.endswith("." + apex)


class Question:
    """What is asked, and how: by whom and over what a condition of a reply may ask."""

    def __init__(self, message, transport, which):
        name, self.kind, self.rclass = message.questions[0]
        self.name = name.lower()
        self.edns = bool(message.opts)
        self.cd, self.ad, self.rd = message.flag("cd"), message.flag("ad"), message.flag("rd")
        self.do = bool(message.do)
        self.options = [code for code, _ in message.options()]
        self.words = {
            transport,
            which,
            "cd" if self.cd else "nocd",
            "do" if self.do else "nodo",
            "edns" if self.edns else "noedns",
            "ad" if self.ad else "noad",
            "rd" if self.rd else "nord",
        } | {"option=%d" % code for code in self.options}

    @property
    def type(self):
        return wire.type_name(self.kind)


class Answer:
    """A reply before it is written."""

    def __init__(self):
        self.rcode = 0
        self.an, self.au, self.ad = [], [], []
        self.options = []
        self.words = set()  # silent, tc, noopt, adflag


class Zone:
    """The records and the replies of one case."""

    def __init__(self, apex):
        self.apexes = [apex]
        self.records = []
        self.replies = []  # (name, type, conditions, items)
        self.soa = (600, 600)
        self.signed = False

    def apex_of(self, name):
        return max(
            (apex for apex in self.apexes if below(name, apex)), key=len, default=self.apexes[0]
        )

    def soa_records(self, name):
        if self.soa is None:
            return []
        ttl, minimum = self.soa
        words = (ROOT_SOA % minimum).split()
        return [wire.Record(self.apex_of(name), ttl, 6, wire.rdata_to_wire("SOA", words))]

    def exists(self, name):
        names = [record.owner for record in self.records] + [reply[0] for reply in self.replies]
        return name in self.apexes or any(below(owner.lower(), name) for owner in names)

    def rrset(self, name, kind):
        if kind == 6 and name in self.apexes:
            return self.soa_records(name)
        return [r for r in self.records if r.owner.lower() == name and kind in (r.kind, 255)]

    def reply_for(self, name, question):
        for owner, kind, conditions, items in self.replies:
            if owner == name and kind in ("*", question.type) and conditions <= question.words:
                return items
        return None

    def alias(self, name):
        """The records that lead from the name to another, and that one."""
        for record in self.rrset(name, 5):
            return [record], wire.rdata_text(5, record.rdata)
        for record in self.records:
            owner = record.owner.lower()
            if record.kind == 39 and name != owner and below(name, owner):
                target = name[: -len(owner)] + wire.rdata_text(39, record.rdata)
                made = wire.Record(name, record.ttl, 5, wire.name_to_wire(target))
                return [record, made], target
        return [], None

    def sign(self, records, question):
        """The records, each RRset followed by its signature if that was asked for."""
        if not (self.signed and question.do):
            return records
        signed, sets = [], {}
        for record in records:
            sets.setdefault((record.owner, record.type), []).append(record)
        for (owner, kind), rrset in sets.items():
            rdata = wire.rrsig(kind, rrset[0].ttl, self.apexes[0])
            signed += rrset + [wire.Record(owner, rrset[0].ttl, 46, rdata)]
        return signed

    def negative(self, answer, name, question):
        answer.rcode = 0 if self.exists(name) else 3
        records = self.soa_records(name)
        if self.signed and question.do:
            records.append(wire.Record(name, 600, 47, wire.rdata_to_wire("NSEC", ["\0." + name])))
        answer.au = self.sign(records, question)

    def lookup(self, question):
        """As a resolver: the chain, then data or a negative answer."""
        answer, name = Answer(), question.name
        seen = set()
        while name not in seen:
            seen.add(name)
            items = self.reply_for(name, question)
            if items is not None:
                return self.scripted(answer, items, name, question)
            rrset = self.rrset(name, question.kind)
            if rrset:
                answer.an += self.sign(rrset, question)
                break
            links, target = self.alias(name)
            if not links:
                self.negative(answer, name, question)
                break
            answer.an += self.sign(links, question)
            name = target.lower()
        if self.signed and (question.ad or question.do):
            answer.words.add("adflag")
        return answer

    def scripted(self, answer, items, name, question):
        """A reply of the case's own, behind the chain that led to the name."""
        for item in items:
            word, rest = item[0], item[1:]
            if word in wire.RCODES:
                answer.rcode = wire.RCODES[word]
            elif word in ("an", "au", "ad"):
                getattr(answer, word).append(rest[0])
            elif word == "ede":
                answer.options.append((15, int(rest[0]).to_bytes(2, "big")))
            elif word == "option":
                answer.options.append((int(rest[0]), bytes.fromhex(rest[1])))
            elif word == "data":
                answer.an += self.sign(self.rrset(name, question.kind), question)
            elif word == "negative":
                self.negative(answer, name, question)
            elif word == "soa":
                answer.au += self.soa_records(name)
            else:
                answer.words.add(word)
        return answer


class World:
    """All cases' zones, the root and what lies between."""

    def __init__(self, zones):
        self.by_apex = {apex: zone for zone in zones for apex in zone.apexes}
        self.root = Zone(".")
        for name in ("a.root.", "ns.example."):
            self.root.records.append(wire.Record(name, 3600, 1, b"\x7f\0\0\x01"))
        for name, server in ((".", "a.root."), ("example.", "ns.example."), ("arpa.", "a.root.")):
            self.root.records.append(wire.Record(name, 3600, 2, wire.name_to_wire(server)))
        # As the public tree has it (RFC 7050).
        for last in ("170", "171"):
            address = bytes([192, 0, 0, int(last)])
            self.root.records.append(wire.Record("ipv4only.arpa.", 3600, 1, address))
            self.root.records.append(
                wire.Record(
                    last + ".0.0.192.in-addr.arpa.", 3600, 12, wire.name_to_wire("ipv4only.arpa.")
                )
            )

    def zone_of(self, name):
        while name:
            if name in self.by_apex:
                return self.by_apex[name]
            name = name.partition(".")[2]
        return self.root

    def between(self, name):
        """Is it an empty non-terminal above a zone?"""
        return any(below(apex, name) for apex in self.by_apex)

    def lookup(self, question):
        zone = self.zone_of(question.name)
        if question.kind == 43 and question.name in zone.apexes:
            zone = self.root  # DS is the parent's
        answer = zone.lookup(question)
        if answer.rcode == 3 and zone is self.root and self.between(question.name):
            answer.rcode = 0
        return answer
