# SPDX-License-Identifier: BSD-2-Clause
"""dns64: the dns64 statements of BIND, and what dns64d does for which clients in their place."""

import ipaddress

import migrate
from migrate import WELL_KNOWN
from namedconf import Acl

MAPPED = "::ffff:0:0/96"
# What a block has if it does not say it, and nothing outside does.
DEFAULTS = {
    "synthesize": ["synthesize normal"],
    "exclude-aaaa": ["exclude-aaaa " + MAPPED],
    "dns64-suffix": ["dns64-suffix ::"],
}


# What is said of inner statements without a counterpart, for no and for yes.
SAID = {
    "break-dnssec": (
        "dns64d synthesizes for clients that set DO all the same, unless they set CD as well",
        "dns64d does so for clients that set DO, but not for those that set CD as well",
    ),
    "recursive-only": (
        "",
        "dns64d answers a question without RD from the cache only, synthesized as others are",
    ),
}


class Dns64:
    """One dns64 statement: its prefix, and for whom and what it is."""

    def __init__(self, statement, acl):
        self.where = statement.where
        self.prefix = migrate.prefix(self.where, "dns64", statement.value())
        self.clients = self.mapped = everybody()
        self.exclude = Acl()
        self.exclude.add(True, migrate.key(ipaddress.ip_network(MAPPED)))
        self.suffix = "::"
        self.said = []  # inner statements, and what is said of each; "": nothing
        for inner in statement.block():
            if inner.name in ("clients", "mapped", "exclude"):
                setattr(self, inner.name, acl(inner))
            elif inner.name == "suffix":
                self.suffix = suffix(inner, self.prefix)
            elif inner.name in SAID:
                self.said.append((inner, SAID[inner.name][inner.yes()]))
            else:
                inner.where.refuse("'%s' is no part of dns64" % migrate.printable(inner.name)[:60])


def suffix(statement, prefix):
    """The bits behind the IPv4 address, which must be where these are (RFC 6052 section 2.2)."""
    found = migrate.address(statement.where, "suffix", statement.value())
    first = {32: 72, 40: 80, 48: 88, 56: 96, 64: 104, 96: 128}[int(prefix.split("/")[1])]
    if found.version != 6 or int(found) >> (128 - first):
        statement.where.refuse(
            "suffix %s: the first %d bits must be zero with %s" % (found, first, prefix)
        )
    return str(found)


def everybody():
    acl = Acl()
    for root in migrate.ROOTS:
        acl.add(True, root)
    return acl


def prefix_lines(result, rules):
    """Which prefix is for which IPv4 addresses: lines of dns64-prefix, map and exclude-a."""
    named = {net for rule in rules for net in rule.mapped.named() if net[0] == 4}

    def prefixes(net):
        return tuple(dict.fromkeys(rule.prefix for rule in rules if rule.mapped.has(net)))

    found = {net: value for net, value in migrate.classes(named, prefixes).items() if net[0] == 4}
    usual = found[migrate.ROOTS[0]]
    lines = [
        "dns64-prefix " + text for text in usual or dict.fromkeys(rule.prefix for rule in rules)
    ]
    if not usual:
        lines.append("exclude-a 0.0.0.0/0")
    for net, value in found.items():
        text = str(migrate.unkey(net))
        if net == migrate.ROOTS[0]:
            continue
        if len(value) > 1:
            result.remark(
                rules[0].where,
                "mapped %s: dns64d can embed a network in one prefix or in all; here it is in %s,"
                " and not in %s" % (text, value[0], ", ".join(value[1:])),
            )
        lines.append("map %s %s" % (text, value[0]) if value else "exclude-a " + text)
    return lines


def policy(result, rules):
    """All lines for clients for whom these rules hold."""
    if not rules:
        return ["synthesize never"]
    lines = ["synthesize normal"] + prefix_lines(result, rules)
    # An AAAA is of use if one of the rules does not exclude it.
    named = {net for rule in rules for net in rule.exclude.named() if net[0] == 6}
    excluded = [
        net
        for net in migrate.cover(named, lambda net: all(r.exclude.has(net) for r in rules))
        if net.version == 6
    ]
    texts = [str(net) for net in excluded]
    if MAPPED not in texts:
        lines.append("exclude-aaaa none")
    lines += ["exclude-aaaa " + text for text in texts]
    suffixes = {rule.suffix for rule in rules}
    if len(suffixes) > 1:
        for rule in rules:
            if rule.suffix != "::":
                result.remark(
                    rule.where,
                    "suffix %s: dns64d has one suffix for all prefixes of a client; here it is ::"
                    % rule.suffix,
                )
        suffixes = {"::"}
    return lines + ["dns64-suffix " + suffixes.pop()]


def without(lines, outside):
    """The lines of a block but for those that it has anyway. outside: the lines outside."""
    kept = []
    for keyword in dict.fromkeys(line.split()[0] for line in lines):
        mine = [line for line in lines if line.split()[0] == keyword]
        theirs = [line for line in outside if line.split()[0] == keyword] or DEFAULTS.get(
            keyword, []
        )
        if mine != theirs:
            kept += mine
    return kept


def add_remarks(result, lines):
    """What is lost of these rules. lines: what became of each of them together."""
    for rules, policy_lines in lines.items():
        for rule in rules:
            lost = [
                net
                for net in migrate.PRIVATE
                if rule.prefix == WELL_KNOWN
                and rule.mapped.has(migrate.key(ipaddress.ip_network(net)))
                and not any(line.startswith("map %s " % net) for line in policy_lines)
            ]
            if lost:
                result.lose_private(rule.where, lost)
            for inner, text in rule.said:
                if text:
                    result.remark(inner.where, "%s: %s" % (inner.text(), text))


def add_policies(result, classes):
    """The lines for all clients and the client blocks. classes: network (triple) to rules."""
    lines = {rules: policy(result, rules) for rules in dict.fromkeys(classes.values())}
    add_remarks(result, lines)
    if lines and all(not rules for rules in lines):
        result.note("there is no dns64, so here it is synthesize never")
    usual = lines[classes[migrate.ROOTS[1]]]
    blocks = {}
    for net, rules in classes.items():
        blocks.setdefault(tuple(lines[rules]), []).append(migrate.unkey(net))
    # Blocks keep the lines of map and exclude-a outside that they do not replace: so these stand in
    # a block, too.
    is_listed = len(blocks) > 1 and any(line.startswith(("map", "exclude-a ")) for line in usual)
    outside = [line for line in usual if not (is_listed and line.startswith(("map", "exclude-a ")))]
    for line in without(outside, []):
        result.add("Answers", line)
    for policy_lines, nets in blocks.items():
        mine = without(list(policy_lines), outside)
        if mine == [] or list(policy_lines) == outside:
            continue
        nets = [migrate.shortened(net) for net in sorted(nets, key=lambda net: (net.version, net))]
        if len(result.sections["Client blocks"]):
            result.sections["Client blocks"].append("")
        result.sections["Client blocks"] += client_lines(nets, mine)


def client_lines(nets, lines):
    """A client block, or several if the networks do not go into one line."""
    result = []
    while nets:
        count = 1
        while count < len(nets) and len(" ".join(nets[: count + 1])) < 900:
            count += 1
        result += ["client %s {" % " ".join(nets[:count])] + ["\t" + line for line in lines] + ["}"]
        nets = nets[count:]
        if nets:
            result.append("")
    return result
