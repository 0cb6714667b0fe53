let programVersion = "1.0.0"
