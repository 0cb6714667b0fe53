#!/bin/sh
# install.sh [PREFIX]: installs segue below PREFIX (/usr/local); "$HOME/.local" needs no root.
# install.sh --remove [PREFIX]: removes it again. Settings, session and library stay.
set -eu
cd "$(dirname "$0")"
action=install
if [ "${1-}" = --remove ]; then action=remove; shift; fi
prefix=${1:-/usr/local}
case $prefix in
/*) ;;
*) echo "The folder must begin with /: $prefix" >&2; exit 2 ;;
esac
target=${DESTDIR-}$prefix
find bin lib share -type f | LC_ALL=C sort | while read -r file; do
  if [ $action = remove ]; then rm -f "$target/$file"; continue; fi
  mode=644
  [ -x "$file" ] && mode=755
  case $file in
  *.service) sed "s|=/usr/bin/segue|=$prefix/bin/segue|" "$file" | install -D -m $mode /dev/stdin "$target/$file" ;;
  *) install -D -m $mode "$file" "$target/$file" ;;
  esac
done
[ $action = install ] || exit 0
if "$target/bin/segue" --version > /dev/null; then
  echo "Installed. segue doctor says what works here."
else
  echo "Installed, but it does not start: it needs glibc 2.36, libmpg123.so.0 and libncursesw.so.6." >&2
fi
