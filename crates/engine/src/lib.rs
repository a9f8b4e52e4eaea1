//! Sessions, command specs and dispatch, the gate, effects and ports.
