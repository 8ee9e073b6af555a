# SPDX-License-Identifier: BSD-2-Clause
"""migrate: what the converters share: reading, refusing, the result and its remarks, networks."""

import argparse
import ipaddress
import re
import sys
import textwrap

VERSION = "0.1.0"
LARGEST = 16 << 20  # bytes that are read of all files together
WIDTH = 100
WELL_KNOWN = "64:ff9b::/96"
# Private IPv4 networks, which the Well-Known Prefix never represents (RFC 6052 section 3.1).
PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16")
LIMITS = {"nameserver": 32, "listen": 64, "dns64-prefix": 32}  # lines of a keyword
PORTS = range(1024, 65536)  # that dns64d asks from
AVOIDED = 64  # ports that avoid-port lines name in all
INTERFACES = 16  # of the listen lines, those that name an interface
INTERFACE = re.compile(r"(?![0-9.]+$)[\w.-]{1,15}", re.ASCII)
LENGTHS = (32, 40, 48, 56, 64, 96)  # of prefixes, RFC 6052 section 2.2
NEVER_TEXT = re.compile("[^\t\n\r\f -~\x80-\xff]")


class Refused(Exception):
    """The configuration cannot be converted; the text says where and why."""


class Where:
    """A place in a file; false if there is none."""

    def __init__(self, file, line):
        self.file, self.line = file, line

    def __str__(self):
        return "%s:%d" % (self.file, self.line)

    def refuse(self, text):
        raise Refused("%s: %s" % (self, text))


class Reader:
    """Reads the files of one configuration, as much as LARGEST in all."""

    def __init__(self):
        self.left = LARGEST

    def read(self, path, asked_at=None):
        """The text of the file, or of the standard input for "-". asked_at: who includes it."""
        try:
            if path == "-":
                data = sys.stdin.buffer.read(self.left + 1)
            else:
                with open(path, "rb") as file:
                    data = file.read(self.left + 1)
        except (OSError, ValueError) as error:
            text = "%s: %s" % (path, getattr(error, "strerror", None) or error)
            raise Refused("%s: %s" % (asked_at, text) if asked_at else text)
        # Each byte is a character, so comments may be in any language.
        text = data.decode("latin-1")
        odd = NEVER_TEXT.search(text)
        if odd:
            line = text.count("\n", 0, odd.start()) + 1
            Where(path, line).refuse(
                "the character \\x%02x: this is not a text file" % ord(odd.group())
            )
        self.left -= len(data)
        if self.left < 0:
            Where(path, text.count("\n") + 1).refuse(
                "more than %d MB: no configuration" % (LARGEST >> 20)
            )
        return text


class Result:
    """A dns64d.conf in the making: lines by section, and what could not be carried over."""

    SECTIONS = (
        "Upstreams",
        "Listening and clients",
        "Answers",
        "Client blocks",
        "Cache",
        "Process",
    )

    def __init__(self, source):
        self.source = source
        self.unsorted = []  # place, remark
        self.known = set()  # of these the remarks
        self.notes = []
        self.sections = {name: [] for name in self.SECTIONS}

    def remark(self, where, text, is_first=False):
        """Something was not carried over: what, why, and what to do about it."""
        line = "%s: %s" % (where, printable(text))
        if line not in self.known:
            self.known.add(line)
            self.unsorted.append(
                ((not is_first, getattr(where, "file", "~"), getattr(where, "line", 0)), line)
            )

    @property
    def remarks(self):
        """In the order of the lines that they are about."""
        return [line for _, line in sorted(self.unsorted, key=lambda pair: pair[0])]

    def note(self, text):
        """Something to know that asks for nothing."""
        if text not in self.notes:
            self.notes.append(text)

    def add(self, section, *words, where=None):
        """A line of the configuration; each only once, and no more than there can be."""
        line = printable(" ".join(str(word) for word in words))
        keyword = line.split()[0]
        if line in self.sections[section]:
            return
        if sum(other.split()[0] == keyword for other in self.sections[section]) == LIMITS.get(
            keyword
        ):
            self.remark(
                where or self.source,
                "%s: left out, as dns64d takes %d such lines at most" % (line, LIMITS[keyword]),
            )
            return
        self.sections[section].append(line)

    def add_list(self, section, keyword, values, ending=""):
        """As many lines of this keyword as these values take."""
        self.sections[section] += listed(keyword, values, ending)

    def add_interface(self, where, section, name, *more):
        """A listen line for an interface; False if dns64d would not take the name for one."""
        if not INTERFACE.fullmatch(name):
            return False
        count = sum(
            line.startswith("listen ") and bool(INTERFACE.fullmatch(line.split()[1]))
            for line in self.sections[section]
        )
        if count == INTERFACES:
            self.remark(
                where,
                "listen %s: left out, as dns64d listens on %d interfaces by name at most"
                % (name, INTERFACES),
            )
        else:
            self.add(section, "listen", name, *more, where=where)
        return True

    def add_ports(self, said, permitted):
        """Lines of avoid-port, so that these ports alone are asked from. said: what says so, pairs
        of place and text."""
        missing = [port for port in PORTS if port not in permitted]
        if len(missing) > AVOIDED:
            for where, text in said:
                self.remark(
                    where,
                    "%s: dns64d asks from all ports from 1024 to 65535 but %d at most, which"
                    " avoid-port names: have the firewall let it" % (text, AVOIDED),
                )
            return
        for first, last in runs(missing):
            text = str(first) if first == last else "%d-%d" % (first, last)
            self.add("Upstreams", "avoid-port", text)

    def lose_private(self, where, nets=PRIVATE):
        """These addresses had an answer before, and have none below the Well-Known Prefix."""
        self.remark(
            where,
            "private IPv4 addresses are not embedded in %s (RFC 6052 section 3.1), as they were"
            " before: names that have no others lose their AAAA; if the translator takes these,"
            " write %s"
            % (WELL_KNOWN, ", ".join("map %s %s" % (net, WELL_KNOWN) for net in nets)),
        )

    def add_number(self, section, where, keyword, value, least, most):
        """A line with a number, moved into its range with a remark if it is outside."""
        kept = min(max(value, least), most)
        if kept != value:
            self.remark(
                where,
                "%s %d: dns64d takes %d to %d, so it is %d here"
                % (keyword, value, least, most, kept),
            )
        self.add(section, keyword, kept)

    def loop(self):
        """The nameserver line at whose address and port it would listen itself; None: no one."""
        lines = [line.split() for line in self.sections["Listening and clients"]]
        port = next((words[1] for words in lines if words[0] == "port"), "53")
        listens = {(w[1], w[3] if w[2:] else port) for w in lines if w[0] == "listen"}
        every = {4: "0.0.0.0", 6: "::"}
        for line in self.sections["Upstreams"]:
            words = line.split()
            if words[0] != "nameserver":
                continue
            at = words[1]
            of_it = words[3] if words[2:3] == ["port"] else "53"
            address = ipaddress.ip_address(at)
            is_here = address.is_loopback or any(at == other for other, _ in listens)
            if (at, of_it) in listens or (is_here and (every[address.version], of_it) in listens):
                return line
            if not listens and (at, of_it) in {("127.0.0.1", port), ("::1", port)}:
                return line
        return None

    def add_ttls(self, least, most):
        """cache-min-ttl and cache-max-ttl, pairs of place and seconds, or None."""
        if least and most and least[1] > max(most[1], 1):
            self.remark(
                least[0],
                "cache-min-ttl %d: more than cache-max-ttl, so it is that here" % least[1],
            )
            least = (least[0], max(most[1], 1))
        if most:
            self.add_number("Cache", most[0], "cache-max-ttl", most[1], 1, 604800)
        if least:
            self.add_number("Cache", least[0], "cache-min-ttl", least[1], 0, 60)

    def text(self, program):
        """The file."""
        lines = [
            "# Made from %s by contrib/migrate/%s of dns64d %s."
            % (printable(self.source), program, VERSION)
        ]
        remarks = self.remarks
        for title, said in (("Not carried over:", remarks), ("To know:", self.notes)):
            if said:
                lines += ["#", "# " + title]
            for text in said:
                lines += textwrap.wrap(
                    text,
                    WIDTH,
                    initial_indent="#   ",
                    subsequent_indent="#     ",
                    break_long_words=True,
                    break_on_hyphens=False,
                )
        for name in self.SECTIONS:
            if self.sections[name]:
                lines += ["", "# " + name] + self.sections[name]
        return "\n".join(lines) + "\n"


def printable(text):
    """The text with all that is not printable ASCII written as \\xNN."""
    return re.sub("[^ -~]", lambda odd: "\\x%02x" % ord(odd.group()), text)


def listed(keyword, values, ending=""):
    """Lines of a repeatable keyword that are not too long; each has the ending."""
    lines, line = [], ""
    for value in values:
        if line and len(line) + 1 + len(value) + len(ending) <= WIDTH:
            line += " " + value
        else:
            lines += [line + ending] if line else []
            line = keyword + " " + value
    return lines + ([line + ending] if line else [])


def is_text(text):
    """Whether it can stand behind version or server-id, as it is."""
    spaced = " " + text
    return text.split(" ") == text.split() and text != "none" and len(text) <= 63 and not (
        " #" in spaced or " //" in spaced
    )


def runs(numbers):
    """The first and last number of each run of them; they are sorted."""
    found = []
    for n in numbers:
        if found and found[-1][1] == n - 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return found


# --- values ---


def number(where, what, text, least=0, most=(1 << 32) - 1):
    """A decimal number in this range, or the configuration is refused."""
    if not re.match("[0-9]{1,10}$", text) or not least <= int(text) <= most:
        where.refuse(
            "%s: a number from %d to %d must be there, not '%s'"
            % (what, least, most, printable(text))
        )
    return int(text)


def size(where, what, text):
    """A number of bytes with a suffix k, m or g."""
    found = re.match("([0-9]{1,15})([kmg]?)b?$", text.lower())
    if not found:
        where.refuse("%s: a number of bytes must be there, not '%s'" % (what, printable(text)))
    return int(found.group(1)) << {"": 0, "k": 10, "m": 20, "g": 30}[found.group(2)]


def address(where, what, text):
    """An IP address, as ipaddress has it; the scope of a link-local one is kept."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        where.refuse("%s: an IP address must be there, not '%s'" % (what, printable(text)))
    if found.version == 6 and found.is_link_local and "%" not in text:
        where.refuse(
            "%s: the link-local address %s needs its interface, as in %s%%eth0" % (what, text, text)
        )
    return found


def network(where, what, text):
    """A network, which may be an address; bits behind its length are cleared."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        where.refuse("%s: a network must be there, not '%s'" % (what, printable(text)))


def prefix(where, what, text):
    """A NAT64 prefix after RFC 6052, as text, or the configuration is refused."""
    try:
        parsed = ipaddress.IPv6Network(text.replace("%", "?"))
    except ValueError as error:
        where.refuse(
            "%s: a prefix such as %s must be there, not '%s' (%s)"
            % (what, WELL_KNOWN, printable(text), error)
        )
    if parsed.prefixlen not in LENGTHS:
        where.refuse("%s %s: the length must be 32, 40, 48, 56, 64 or 96 (RFC 6052)" % (what, text))
    if parsed.network_address.packed[8]:
        where.refuse("%s %s: bits 64 to 71 must be zero (RFC 6052)" % (what, text))
    return str(parsed)


def shortened(net):
    """The network as text; a single address without its length."""
    return str(net.network_address) if net.prefixlen == net.max_prefixlen else str(net)


# --- sets of networks ---

# A network is a triple of version, first address as a number, and length: thousands are compared.
ROOTS = ((4, 0, 0), (6, 0, 0))
BITS = {4: 32, 6: 128}


def key(net):
    return (net.version, int(net.network_address), net.prefixlen)


def unkey(triple):
    version, first, length = triple
    made = ipaddress.IPv4Network if version == 4 else ipaddress.IPv6Network
    return made((first, length))


def around(triple):
    """The network itself, and all that contain it, from the smallest on."""
    version, first, length = triple
    bits = BITS[version]
    while True:
        yield (version, first, length)
        if length == 0:
            return
        length -= 1
        first = first >> (bits - length) << (bits - length)


def classes(named, value):
    """Where in the address space a value changes.

    named: the networks (triples) at whose borders it may; value: a function of a network that says
    what holds for those addresses in it that are in no smaller one of these. Returns a dictionary
    of all networks with another value than the one around them; the roots are always in it.
    """
    found = {}
    for net in sorted(set(named) | set(ROOTS), key=lambda triple: (triple[2], triple)):
        here = value(net)
        outer = next(
            (found[other] for other in around(net) if other != net and other in found), None
        )
        if net in ROOTS or here != outer:
            found[net] = here
    return found


def cover(named, is_in):
    """The fewest networks that make up all addresses for which is_in (see classes) holds."""
    found = classes(named, is_in)

    def part(net, here, inside):
        """What is in of this network, which is in itself or not, around those inside of it."""
        if not inside:
            return [net] if here else []
        version, first, length = net
        middle = first + (1 << (BITS[version] - length - 1))
        result = []
        for half in ((version, first, length + 1), (version, middle, length + 1)):
            mine = [other for other in inside if (other[1] < middle) == (half[1] < middle)]
            here_now = found[half] if half in mine else here
            result += part(half, here_now, [other for other in mine if other != half])
        return result

    covered = []
    for root in ROOTS:
        covered += part(
            root, found[root], [net for net in found if net[0] == root[0] and net != root]
        )
    return [unkey(net) for net in covered]


# What becomes of a client that asks
SERVED, REFUSED, DROPPED = "allow", "deny", "deny ... drop"
LOCALHOST = {key(ipaddress.ip_network(text)) for text in ("127.0.0.0/8", "::1")}
MAPPED = key(ipaddress.ip_network("::ffff:0:0/96"))


def add_access(result, named, outcome):
    """The allow and deny lines. Of these that of the longest network decides, wherever it stands.

    named: the networks (triples) at whose borders the outcome may change; outcome: a function, as
    the value of classes, to SERVED, REFUSED or DROPPED.
    """
    found = classes(named, outcome)
    if any(
        outcome(net) != SERVED
        for net in LOCALHOST.union(named)
        if any(outer in LOCALHOST for outer in around(net))
    ):
        result.note(
            "this machine itself may always ask: clients at 127.0.0.0/8 and ::1 cannot be denied"
        )
    # No line may deny the machine itself, or name a mapped address, from which nobody can ask.
    kept = [
        net
        for net in found
        if not any(outer in LOCALHOST or outer == MAPPED for outer in around(net))
        or (net in LOCALHOST and found[net] == SERVED)
    ]
    # Who is in no line is refused as well.
    kept = [net for net in kept if net not in ROOTS or found[net] != REFUSED]
    is_alike = all(root in kept and found[root] == found[ROOTS[0]] for root in ROOTS)
    for action, keyword, ending in (
        (SERVED, "allow", ""),
        (REFUSED, "deny", ""),
        (DROPPED, "deny", " drop"),
    ):
        texts = [
            shortened(unkey(net))
            for net in sorted(kept)
            if found[net] == action and (net not in ROOTS or not is_alike)
        ]
        is_usual = is_alike and found[ROOTS[0]] == action
        if action == SERVED and not is_usual:  # without an allow line others may ask, too
            texts = texts or ["127.0.0.0/8", "::1"]
        result.add_list("Listening and clients", keyword, texts, ending)
        result.add_list("Listening and clients", keyword, ["any"] * is_usual, ending)


# --- the program ---


class Arguments(argparse.ArgumentParser):
    """Wrong arguments end with 2, as all that is refused."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(2, "%s: %s\n" % (self.prog, message))


def main(program, description, convert):
    """Convert the file that the command line names. convert(path, resolver): a function that
    returns a Result, where resolver is the nameserver's values if the file has none."""
    parser = Arguments(
        prog=program,
        description=description,
        epilog=(
            "The configuration goes to the standard output, and what could not be carried over to"
            " the standard error, and into the configuration as comments. Exit code: 0 all was"
            " carried over, 1 all but what is listed, 2 refused: nothing is printed but the"
            " reason."
        ),
    )
    parser.add_argument(
        "file", metavar="FILE", help="the configuration to convert; - is the standard input"
    )
    parser.add_argument(
        "--nameserver",
        metavar="ADDRESS[#PORT]",
        default="127.0.0.1#5353",
        help="the resolver to ask where the file names none (default: %(default)s)",
    )
    parser.add_argument(
        "--version", action="version", version="%s of dns64d %s" % (program, VERSION)
    )
    arguments = parser.parse_args()
    resolver, _, port = arguments.nameserver.partition("#")
    try:
        ipaddress.ip_address(resolver)
        if port and not (re.fullmatch("[0-9]{1,5}", port) and 1 <= int(port) <= 65535):
            raise ValueError
    except ValueError:
        parser.error(
            "--nameserver: ADDRESS or ADDRESS#PORT must be there, not '%s'" % arguments.nameserver
        )
    try:
        result = convert(arguments.file, resolver + (" port " + port if port else ""))
        line = result.loop()
        if line:
            raise Refused(
                "%s: %s is where it listens itself: it would ask itself; --nameserver names"
                " another resolver, such as 127.0.0.1#5354" % (result.source, line)
            )
        sys.stdout.write(result.text(program))
        sys.stdout.flush()
    except (Refused, OSError) as refusal:
        print("%s: %s" % (program, refusal), file=sys.stderr)
        return 2
    for remark in result.remarks:
        print(remark, file=sys.stderr)
    for text in result.notes:
        print("note: " + text, file=sys.stderr)
    return 1 if result.remarks else 0
