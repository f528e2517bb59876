rockspec_format = "3.0"
package = "memmodel"
version = "0.1.0-1"
source = {
    url = "git+https://github.com/libmemmodel/libmemmodel.git",
    tag = "v0.1.0",
}
description = {
    summary = "How much memory a deep-learning job will need, before it runs",
    detailed = [[
        A layer over the C library libmemmodel, which is built with it: formulas of memory from measured runs, with an upper
        bound, estimates of networks, plans. Needs a C compiler, meson, ninja, pkg-config, Python 3, jansson, libffi and Lua's
        headers (Debian: gcc libc6-dev meson ninja-build pkg-config python3 libjansson-dev libffi-dev zlib1g-dev liblua5.4-dev).
    ]],
    homepage = "https://github.com/libmemmodel/libmemmodel",
    license = "MIT",
    labels = {"memory", "deep-learning", "slurm"},
}
dependencies = {
    "lua >= 5.1, < 5.5",
}
build = {
    type = "command",
    build_command = "sh packaging/lua/rock.sh build $(PREFIX)",
    install_command = "sh packaging/lua/rock.sh install $(PREFIX) $(LUA) $(LUADIR) $(LIBDIR)",
}
