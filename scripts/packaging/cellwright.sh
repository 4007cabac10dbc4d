#!/bin/sh
# The command line of a package on Linux: the app's own binary as Node, running the same script as in the repository.
here=$(dirname "$(readlink -f "$0")")
ELECTRON_RUN_AS_NODE=1 exec "$here/../cellwright" "$here/../resources/app.asar/bin/cellwright.mjs" "$@"
