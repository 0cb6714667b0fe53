{
  description = "segue, a music player for the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let pkgs = nixpkgs.legacyPackages.x86_64-linux;
    in {
      packages.x86_64-linux.default = pkgs.stdenv.mkDerivation {
        pname = "segue";
        version = "@VERSION@";
        # The archive lies beside this file.
        src = ./segue-@VERSION@-linux-x86_64.tar.xz;
        nativeBuildInputs = [ pkgs.autoPatchelfHook ];
        buildInputs = [ pkgs.mpg123 pkgs.ncurses ];
        # Opened by name: their folders go into the program's search path.
        runtimeDependencies = with pkgs; [
          alsa-lib curl dbus faad2 ffmpeg flac fribidi lame libjpeg libopus libpng libpulseaudio libsamplerate libuchardet
          libvorbis libwebp opencore-amr openssl pcre2 rubberband sqlite
        ];
        dontStrip = true;
        installPhase = "patchShebangs install.sh && DESTDIR= ./install.sh $out";
      };
    };
}
