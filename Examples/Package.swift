// swift-tools-version: 6.3
import PackageDescription

// Programs on top of SegueAudio, as a package outside it would have them. In such a package the dependency is
//   .package(url: "https://.../segue", from: "0.2.0")

let audio: [Target.Dependency] = [.product(name: "SegueAudio", package: "segue")]

let package = Package(
  name: "Examples",
  dependencies: [.package(name: "segue", path: "..")],
  targets: [
    // Parsing needs no C library.
    .executableTarget(name: "parse", dependencies: [.product(name: "SegueContainers", package: "segue")]),
    .executableTarget(name: "random-access", dependencies: audio),
    .executableTarget(name: "queue", dependencies: audio),
    .executableTarget(name: "player", dependencies: audio),
    .executableTarget(name: "effect", dependencies: audio),
    .executableTarget(name: "record-what-plays", dependencies: audio),
  ]
)
