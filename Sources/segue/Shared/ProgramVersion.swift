/// The version of the program.
let programVersion = "0.1.0"
