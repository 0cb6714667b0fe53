/// The version of the program.
let programVersion = "1.0.0"
