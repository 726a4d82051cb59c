// SPDX-License-Identifier: MIT
//
// Entry of the plugin: its arguments, and its place among the passes of GCC.
#include "plugin.h"

#include "context.h"
#include "diagnostic-core.h"
#include "plugin-version.h"
#include "tree-pass.h"

#include <fnmatch.h>

extern "C" {
__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
}

struct kpx_plugin_options kpx_options = {true, true, true, NULL};

namespace {

const pass_data instrument_data = {
    GIMPLE_PASS, "kpx", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0,
};

class instrument_pass : public gimple_opt_pass {
  public:
    explicit instrument_pass(gcc::context *context) : gimple_opt_pass(instrument_data, context) {}
    unsigned int execute(function *f) final override
    {
        kpx_instrument(f->decl);
        return 0;
    }
};

bool read_options(const plugin_name_args *args)
{
    for (int i = 0; i < args->argc; i++) {
        const char *key = args->argv[i].key;
        if (strcmp(key, "no-routines") == 0)
            kpx_options.routines = false;
        else if (strcmp(key, "no-loops") == 0)
            kpx_options.loops = false;
        else if (strcmp(key, "no-io") == 0)
            kpx_options.io = false;
        else if (strcmp(key, "except") == 0 && args->argv[i].value)
            kpx_options.except = args->argv[i].value;
        else
            return false;
    }
    return true;
}

} // namespace

bool kpx_is_excepted(const char *routine)
{
    for (const char *at = kpx_options.except; at && *at;) {
        size_t n = strcspn(at, ",");
        char *pattern = xstrndup(at, n);
        bool matches = fnmatch(pattern, routine, FNM_CASEFOLD) == 0;
        free(pattern);
        if (matches)
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *args,
                                                       plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        error("the plugin of kpx-bridge was built for GCC %s, this is %s", gcc_version.basever,
              version->basever);
        return 1;
    }
    if (!read_options(args)) {
        error("kpx-bridge: unknown argument of the plugin");
        return 1;
    }
    // The first thing done with a function in GIMPLE, whatever the language.
    register_pass_info pass;
    pass.pass = new instrument_pass(g);
    pass.reference_pass_name = "*warn_unused_result";
    pass.ref_pass_instance_number = 1;
    pass.pos_op = PASS_POS_INSERT_BEFORE;
    register_callback(args->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
    return 0;
}
