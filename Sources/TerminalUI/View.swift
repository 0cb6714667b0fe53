/// What is seen. Pure; touches only rows that are visible.
public func view(_ state: ScreenState) -> CellGrid { CellGrid(size: state.size) }

/// What the terminal's window or tab should be called.
public func windowTitle(_ state: ScreenState) -> String { "segue" }
