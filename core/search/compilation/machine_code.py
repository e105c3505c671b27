"""Compiles entries of the kernel with numba. Each entry becomes one piece of machine code, which is optimised once.

By itself numba optimises and emits machine code for every function, with copies of all that it calls, directly or indirectly;
and it does so again for each width of integers that a function is called with. For the search that took three times as long,
for code that was never run: only entries are called from Python. Here, functions that entries call are translated once, with
64 bits for every integer, and no further than LLVM's intermediate code; LLVM sees an entry and all it calls as a whole.

Uses numba's extension interfaces (pipeline classes, passes, libraries and types of globals) of version 0.68.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral
from numba.core.typing.templates import infer_global

from core.search.compilation import code_cache
from core.search.compilation.kernel import Entry, marked
from core.search.compilation.tolerant_cache import TolerantCache

OPTIONS = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}


class _IntermediateCode(JITCodeLibrary):  # type: ignore[misc]  # numba is partly typed
    """A function's intermediate code with that of the functions it calls, not optimised."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Leaves it as it is: it is linked when an entry needs it."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"  # may be linked several times, and removed where it was inlined
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Returns the intermediate code with that of all functions it calls, directly or indirectly."""
        linked, waiting = dict.fromkeys([self]), list(self._linking_libraries)
        whole = self._final_module.clone()
        while waiting:
            library = waiting.pop()
            if library not in linked:
                linked[library] = None
                if isinstance(library, _IntermediateCode):
                    waiting += library._linking_libraries
                    whole.link_in(library._final_module, preserve=True)
                else:
                    whole.link_in(library._get_module_for_linking(), preserve=True)
        return whole


@register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(NativeLowering):  # type: ignore[misc]
    """Translates a function into intermediate code, without machine code that Python could call."""

    _name = "translation"

    def run_pass(self, state: Any) -> bool:
        """Translates the function of `state`."""
        state.library = _IntermediateCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        identity = list[object]().append  # numba tells compiled functions apart by a built-in function each
        state.targetctx.insert_user_function(identity, made.fndesc, [state.library])
        state["cr"] = _LowerResult(made.fndesc, made.call_helper, cfunc=identity, env=made.env)
        return True


class _Translator(Compiler):  # type: ignore[misc]
    """The steps of numba's compiler up to intermediate code."""

    def define_pipelines(self) -> list[Any]:
        """Returns the steps."""
        (steps,) = super().define_pipelines()
        steps.passes = [(_Translation if step is NativeLowering else step, why) for step, why in steps.passes]
        steps._finalized = False
        steps.finalize()
        return [steps]


class _Translated(types.Dispatcher):
    """The type of a function that entries call: it takes each signed integer as one of 64 bits."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Returns the signature of a call."""
        return super().get_call_type(context, tuple(map(_widened, args)), {k: _widened(v) for k, v in kws.items()})


def _widened(of: Any) -> Any:
    return types.int64 if unliteral(of) in types.signed_domain else of


@functools.cache
def _make_known(function: FunctionType) -> object:
    """Makes a function known to numba, so that machine code can call it. Returns what numba knows only by weak references."""
    translated = numba.njit(**OPTIONS, no_cpython_wrapper=True, pipeline_class=_Translator)(function)
    infer_global(function, _Translated(translated))
    return translated


def machine_code(entry: Entry[..., Any], arguments: tuple[object, ...]) -> tuple[Callable[..., Any], bool]:
    """Loads the machine code of an entry from the user's cache, or compiles it.

    Args:
        entry: the entry.
        arguments: arguments of the types with which it is called. It is not called with them.

    Returns:
        The machine code, and whether it was compiled.
    """
    for function in marked():
        _make_known(function)
    dispatcher = numba.njit(**OPTIONS)(entry.function)
    with code_cache.chosen_for(entry.function) as can_keep:
        if can_keep:
            dispatcher._cache = TolerantCache(entry.function)  # the attribute that `cache=True` sets to numba's own cache
    dispatcher.compile(tuple(map(numba.typeof, arguments)))
    return dispatcher, not sum(dispatcher.stats.cache_hits.values())
