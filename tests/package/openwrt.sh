#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# openwrt: the feed's Makefile gives what OpenWrt's build asks for, and its init script makes of UCI's file a
# configuration that dns64d takes; with what they call of OpenWrt played here.
#   tests/package/openwrt.sh BUILD    BUILD has dns64d
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
dns64d=$build/dns64d
. tests/package/tree.sh
here=contrib/openwrt
mkdir -p "$work/include" "$work/root/tmp"

# --- the Makefile ---

# What rules.mk and package.mk bring, as far as it is used: BuildPackage prints what a package is.
: >"$work/rules.mk"
cat >"$work/include/package.mk" <<'MK'
define BuildPackage
show:
	@echo "configure=$$(CONFIGURE_ARGS)"
	@echo "source=$$(PKG_SOURCE) license=$$(PKG_LICENSE)"
install:
	$$(call Package/$(1)/install,$$(OUT))
endef
MK
openwrt_make()
{
	make -s -f Makefile -C $here TOPDIR="$work" INCLUDE_DIR="$work/include" INSTALL_DIR='mkdir -p' \
		INSTALL_BIN='install -m 755' INSTALL_CONF='install -m 600' INSTALL_DATA='install -m 644' \
		PKG_INSTALL_DIR="$work/installed" OUT="$work/root" "$@"
}
# Each --with, --enable and so on that the Makefile gives is one of configure.ac.
knows_switches()
{
	[ "$(grep -o -- '--[a-z-]*' "$work/shown" | sort -u | grep -c .)" -gt 0 ] || return 1
	# shellcheck disable=SC2013 # words
	for switch in $(grep '^configure=' "$work/shown" | grep -o -- '--[a-z-]*'); do
		name=${switch#--*-}
		grep -qE "AC_ARG_(WITH|ENABLE)\\(\\[$name\\]" configure.ac || {
			echo "$switch"
			return 1
		}
	done
}

version=$(sed -n 's/^AC_INIT(\[dns64d\], \[\(.*\)\])/\1/p' configure.ac)
mkdir -p "$work/installed/usr/sbin" "$work/installed/etc/dns64d"
cp "$dns64d" "${dns64d%/*}/dns64ctl" "$work/installed/usr/sbin/"
cp etc/dns64d.conf "$work/installed/etc/dns64d/"
check 'it parses, and builds the version of this tree' sh -c "grep -qx 'PKG_VERSION:=$version' $here/Makefile"
openwrt_make show >"$work/shown" 2>&1 || cat "$work/shown"
check 'it names its source' grep -q "source=dns64d-$version.tar.gz license=BSD-2-Clause" "$work/shown"
check 'configure knows the switches' knows_switches
check 'installs' openwrt_make install
for file in usr/sbin/dns64d usr/sbin/dns64ctl etc/init.d/dns64d etc/config/dns64d etc/dns64d/dns64d.conf; do
	check "/$file" test -f "$work/root/$file"
done
check 'nothing for which a router has no room' test ! -e "$work/root/usr/share"

# --- the init script ---

# UCI's and procd's functions, as far as the script uses them; a section is "main".
cat >"$work/functions" <<'SH'
uci_values() { sed -n "s/^[[:space:]]*$1 $2 '\(.*\)'\$/\1/p" "$UCI"; }
config_load() { :; }
config_get()
{
	value=$(uci_values option "$3" | tail -n 1)
	eval "$1=\${value:-\${4:-}}"
}
config_get_bool() { config_get "$@"; }
config_list_foreach()
{
	uci_values list "$2" >"$UCI.list"
	while read -r item; do "$3" "$item"; done <"$UCI.list"
}
logger() { echo "logger: $*" >&2; }
procd_open_instance() { echo open; }
procd_set_param() { echo "param $*"; }
procd_close_instance() { echo close; }
start() { start_service; }
chown() { echo "chown $*"; }
SH

# dns64ctl, which asks a daemon that runs if $work/runs is there, and refuses a reload if $work/refuses is
cat >"$work/ctl" <<SH
#!/bin/sh
[ -e "$work/runs" ] || exit 3
echo "ctl \$*" >>"$work/runs"
[ "\$1" != reload ] || [ ! -e "$work/refuses" ] || { echo 'Address already in use'; exit 1; }
SH
chmod +x "$work/ctl"

# play FUNCTION: of the script, with $work/uci as UCI's file
play()
{
	sed -e "s,^PROG=.*,PROG=$dns64d," -e "s,^CTL=.*,CTL=$work/ctl," -e "s,^CONF=.*,CONF=$work/run/dns64d.conf," \
		-e "s,^RUN=.*,RUN=$work/run/dns64d," -e "s,^UPLINK=.*,UPLINK=$work/uplink," $here/files/dns64d.init >"$work/script"
	UCI="$work/uci" sh -eu -c '. "$1"; . "$2"; $3' sh "$work/functions" "$work/script" "$1" >"$work/played" 2>&1
}

# has LINE: is it one of the configuration that was made?
has()
{
	grep -qxF -- "$1" "$work/run/dns64d.conf"
}

true >"$work/uplink"
printf "config dns64d 'main'\n\toption enabled '1'\n\tlist listen '::1'\n" >"$work/uci"
check 'nobody to ask yet, as the router comes up' not play start_service
check 'the log says why' grep -q 'logger: .*nameserver' "$work/played"
echo 'nameserver 2001:db8::7' >"$work/uplink"
check 'the uplink is there' play reload_service
check 'it is started' grep -qx open "$work/played"
check 'and has whom to ask' has 'nameserver 2001:db8::7'
rm "$work/run/dns64d.conf"

printf '%s\n' 'nameserver ::1' 'nameserver 127.0.0.1' '# wan6' 'nameserver 2001:db8::1' 'search lan' >"$work/uplink"
cp $here/files/dns64d.config "$work/uci"
check 'not enabled: not started' play start_service
check 'and nothing is made' test ! -e "$work/run/dns64d.conf"
sed -i "s/option enabled '0'/option enabled '1'/" "$work/uci"
check 'enabled: started' play start_service
check 'it has a place for its control socket' grep -qx "chown _dns64d:_dns64d $work/run/dns64d" "$work/played"
check 'with what was made' grep -qF "param command $dns64d -f -c $work/run/dns64d.conf" "$work/played"
check 'procd waits for the longest stop' grep -qx 'param term_timeout 71' "$work/played"
for line in 'listen ::1 port 5364' 'nameserver 2001:db8::1' 'dns64-prefix 64:ff9b::/96' 'cache-size 4M' 'num-threads 1'; do
	check "it has: $line" has "$line"
done
check 'the router itself is not asked' test "$(grep -c nameserver "$work/run/dns64d.conf")" = 1
sed -i "/option threads/a list nameserver '2001:db8::2'\nlist allow '2001:db8::/32'\nlist extra 'rate-limit 100'\nlist extra 'lameduck 12.5'\nlist extra 'version 50% \"quoted\" \$HOME \\\\n'" "$work/uci"
check 'reloaded' play reload_service
# shellcheck disable=SC2016 # nothing is to be expanded
for line in 'nameserver 2001:db8::2' 'allow 2001:db8::/32' 'rate-limit 100' 'version 50% "quoted" $HOME \n'; do
	check "it has: $line" has "$line"
done
check 'and procd, which tells the daemon, has the file' grep -qxF "param file $work/run/dns64d.conf" "$work/played"
check 'and waits for a lame duck' grep -qx 'param term_timeout 83' "$work/played"
check 'by a signal' grep -qx 'param reload_signal HUP' "$work/played"
true >"$work/runs"
check 'one that runs is reloaded' play reload_service
check 'and asked what came of it' grep -qx 'ctl reload' "$work/runs"
true >"$work/refuses"
check 'one that refuses' not play reload_service
check 'the log says why' grep -q 'logger: .*not reloaded: Address already in use' "$work/played"
rm "$work/runs" "$work/refuses"
sed -i "s/rate-limit 100/no-such-keyword 1/" "$work/uci"
check 'a configuration that is wrong is not used' not play reload_service
check 'the log says why' grep -q 'no-such-keyword' "$work/played"
check 'the old one stays' has 'rate-limit 100'
check 'procd is told nothing new' not grep -q open "$work/played"
sed -i "s/enabled '1'/enabled '0'/" "$work/uci"
check 'not enabled any more: reloaded' play reload_service
check 'procd has nothing to run' not grep -q open "$work/played"
printf "config dns64d 'main'\n\toption enabled '1'\n\toption config '%s'\n" "$work/own.conf" >"$work/uci"
printf 'nameserver 192.0.2.1\n' >"$work/own.conf"
check 'a file of its own' play start_service
check 'is used as it is' grep -qF -- "-c $work/own.conf" "$work/played"
finish
