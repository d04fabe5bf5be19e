"""Ashlar: rigid multibody dynamics with contacts, joints and friction, that reports its own error.

    import ashlar
    run = ashlar.run("walker", method="engineering")
    print(run.summary.residual_max, run.outputs)

Worlds are made by hand with World, described by scenes with Scene and load. SI units, z up, quaternions w, x, y, z."""
from ._ashlar import ffi as _ffi, lib as _lib
from ._core import (AshlarError, BadArgument, BadData, BadHandle, Diagnostic, FileError, Numerics, NotFound, OutOfMemory,
                    Unsupported)
from .batch import Batch
from .mechanism import Mechanism
from .scene import *  # noqa: F401,F403
from .scene import __all__ as _scene_names
from .view import View, view
from .world import *  # noqa: F401,F403
from .world import __all__ as _world_names

__version__ = _ffi.string(_lib.ash_version()).decode()
__all__ = ["AshlarError", "BadArgument", "BadData", "BadHandle", "Batch", "Diagnostic", "FileError", "Mechanism", "NotFound", "Numerics",
           "OutOfMemory", "Unsupported", "View", "view", *_scene_names, *_world_names]
