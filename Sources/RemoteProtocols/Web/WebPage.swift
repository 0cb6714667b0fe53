/// The page for browsers, in one piece. It only knows what the server answers, and shows foreign text as text.
enum WebPage {
  static let bytes = Array(html.utf8)

  /// The field with what browsers may do with the page: run this script, and ask this server. The test of the page
  /// computes the hashes.
  static let policy = """
    Content-Security-Policy: default-src 'none'; script-src 'sha256-KWl7oAGoi9OzO52tsR2gb3tQ/axZlgEH4PfQhrmn4Ac='; \
    style-src 'sha256-hzZYNnJRgy+KtmKh86isRVgZgc2COaux9+2fv+ot6tU='; connect-src 'self'; img-src 'self'; \
    media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
    Referrer-Policy: no-referrer\r\n
    """

  private static let html = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>segue</title>
    <style>\#(style)</style>
    </head>
    <body>
    <main>
    <section id="player" aria-label="Now playing">
      <div id="picture"><img id="cover" alt="" hidden></div>
      <h1 id="title">Nothing plays</h1>
      <p id="artist"></p>
      <p id="album"></p>
      <div class="row">
        <span id="position">0:00</span>
        <input id="seek" type="range" min="0" max="1" step="1" value="0" aria-label="Position in the track" disabled>
        <span id="duration"></span>
      </div>
      <div class="row" id="transport">
        <button id="previous" aria-label="Previous track">
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 5h2v14H6zM20 5v14L9 12z"/></svg></button>
        <button id="toggle" aria-label="Play">
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 4v16l13-8z"/></svg></button>
        <button id="next" aria-label="Next track">
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M16 5h2v14h-2zM4 5v14l11-7z"/></svg></button>
      </div>
      <div class="row" id="rating" role="group" aria-label="Rating"></div>
      <div class="row">
        <button id="mute" aria-pressed="false">Mute</button>
        <input id="volume" type="range" min="0" max="100" value="0" aria-label="Volume in percent">
        <span id="percent"></span>
      </div>
      <div class="row">
        <button id="shuffle" aria-pressed="false">Shuffle</button>
        <button id="repeat">Repeat off</button>
        <button id="undo">Undo</button>
        <button id="listen" aria-pressed="false">Listen here</button>
      </div>
      <audio id="audio" preload="none"></audio>
    </section>
    <section aria-label="Search and queue">
      <form id="search" role="search">
        <input id="words" type="search" maxlength="200" placeholder="Search the library"
          aria-label="Search artists, albums and tracks" autocomplete="off">
      </form>
      <p id="count" role="status"></p>
      <ul id="results" aria-label="Results"></ul>
      <h2>Queue <span id="length"></span></h2>
      <button id="earlier" hidden>Show earlier tracks</button>
      <ol id="queue" aria-label="Queue"></ol>
      <button id="later" hidden>Show later tracks</button>
    </section>
    </main>
    <p id="message" role="status"></p>
    <noscript>This page needs JavaScript.</noscript>
    <script>\#(script)</script>
    </body>
    </html>

    """#

  static let style = #"""

    :root { color-scheme: light dark; --back: #fbfaf8; --text: #1d1c1a; --soft: #63605b; --line: #dcd9d3;
      --panel: #fff; --accent: #9a4a00; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #161513; --text: #f1efea; --soft: #a9a49b; --line: #37342f; --panel: #201e1b; --accent: #f0a35e; }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.4 system-ui, sans-serif; }
    main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.4rem; line-height: 1.2; margin: .8rem 0 .2rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
    p { margin: 0; overflow-wrap: anywhere; }
    #album, #length, #count, .note, span { color: var(--soft); font-variant-numeric: tabular-nums; }
    #picture { aspect-ratio: 1; max-width: min(22rem, 60vw); margin: 0 auto; background: var(--line); border-radius: 8px;
      overflow: hidden; }
    #cover { width: 100%; height: 100%; object-fit: contain; display: block; }
    .row { display: flex; align-items: center; gap: .5rem; margin-top: .6rem; flex-wrap: wrap; }
    .row input { flex: 1; min-width: 8rem; }
    #transport { justify-content: center; gap: 1.2rem; }
    #transport button { width: 3.5rem; height: 3.5rem; border-radius: 50%; padding: .8rem; }
    svg { display: block; width: 100%; fill: currentColor; }
    button, input[type=search] { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
      border-radius: 8px; min-height: 2.75rem; padding: .3rem .6rem; }
    button { cursor: pointer; }
    button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
    button:disabled { opacity: .5; cursor: default; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    input[type=range] { accent-color: var(--accent); height: 2.75rem; margin: 0; }
    #rating { gap: 0; justify-content: center; }
    #rating button { border: 0; background: none; font-size: 1.6rem; min-width: 2.75rem; padding: 0; }
    #rating [data-on] { color: var(--accent); }
    #message { position: fixed; left: 1rem; right: 1rem; bottom: 1rem; max-width: 30rem; margin: 0 auto;
      padding: .6rem 1rem; border-radius: 8px; background: var(--text); color: var(--back); }
    #message:empty { visibility: hidden; }
    #words { width: 100%; margin-top: 1rem; }
    ul, ol { list-style: none; margin: 0; padding: 0; }
    li { display: flex; align-items: center; gap: .5rem; border-bottom: 1px solid var(--line); }
    li .what { flex: 1; min-width: 0; text-align: left; padding: .4rem; overflow-wrap: anywhere; }
    li button { border-color: transparent; background: none; }
    li button:hover { background: var(--panel); }
    li .note { display: block; font-size: .875rem; }
    li[aria-current] .what { color: var(--accent); font-weight: 600; }
    @media (min-width: 50rem) {
      main { display: grid; grid-template-columns: 22rem 1fr; gap: 2rem; align-items: start; }
      #player { position: sticky; top: 1rem; }
      #words { margin: 0; }
    }

    """#

  static let script = #"""

    'use strict';
    const $ = id => document.getElementById(id);
    const player = { state: 'stopped', position: 0, duration: null, track: null, queue: {}, modes: {}, volume: {} };
    let clock = 0, timer = 0, rows = [], loading = 0, searching = 0, isSeeking = false, isTurning = false;
    const windowSize = 100;

    function make(tag, text, name) {
      const element = document.createElement(tag);
      if (text !== undefined) element.textContent = text;
      if (name) element.className = name;
      return element;
    }
    function time(seconds) {
      const whole = Math.max(0, Math.floor(seconds)), two = number => String(number).padStart(2, '0');
      const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
      return (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(whole % 60);
    }
    let saying = 0;
    function say(text, stays) {
      $('message').textContent = text;
      clearTimeout(saying);
      if (!stays) saying = setTimeout(say, 6000, '', true);
    }

    async function ask(path, options) {
      try {
        const answer = await (await fetch(path, options)).json();
        if (answer.error && answer.error !== 'success') say(answer.message || answer.error);
        else if (answer.message) say(answer.message);
        return answer;
      } catch { say('segue does not answer.'); return {}; }
    }
    const send = line => ask('command', { method: 'POST', body: line });

    // The place of the track that plays.
    function now() {
      const past = player.state === 'playing' ? (performance.now() - clock) / 1000 : 0;
      return Math.min(player.position + past, player.duration ?? Infinity);
    }
    function showPosition() {
      const slider = $('seek'), hasEnd = player.duration > 0;
      slider.disabled = !hasEnd;
      slider.max = hasEnd ? Math.ceil(player.duration) : 1;
      if (!isSeeking) slider.value = hasEnd ? now() : 0;
      const shown = isSeeking ? Number(slider.value) : now();
      $('position').textContent = time(shown);
      $('duration').textContent = hasEnd ? time(player.duration) : '';
      slider.setAttribute('aria-valuetext', time(shown) + (hasEnd ? ' of ' + time(player.duration) : ''));
    }
    function showState() {
      const plays = player.state === 'playing' || player.state === 'waiting';
      $('toggle').setAttribute('aria-label', plays ? 'Pause' : 'Play');
      $('toggle').querySelector('path').setAttribute('d', plays ? 'M6 4h4v16H6zM14 4h4v16h-4z' : 'M7 4v16l13-8z');
      clearInterval(timer);
      if (player.state === 'playing' && !document.hidden) timer = setInterval(showPosition, 500);
      showPosition();
    }
    function showTrack() {
      const track = player.track;
      $('title').textContent = track ? track.name : 'Nothing plays';
      $('artist').textContent = track ? track.artist || track.station || '' : '';
      $('album').textContent = track ? [track.album, track.date].filter(Boolean).join(', ') : '';
      document.title = track ? [track.name, track.artist].filter(Boolean).join(' - ') : 'segue';
      const cover = $('cover'), address = track ? 'cover?' + track.id : '';
      if (cover.dataset.address !== address) {
        cover.dataset.address = address;
        cover.hidden = true;
        if (address) cover.src = address; else cover.removeAttribute('src');
      }
      cover.alt = track && track.album ? 'Cover of ' + track.album : 'Cover';
      for (const star of $('rating').children) {
        const value = Number(star.dataset.value), isOn = track && track.rating >= value - 1;
        star.textContent = isOn ? '★' : '☆';
        star.toggleAttribute('data-on', Boolean(isOn));
        star.setAttribute('aria-pressed', Boolean(track && track.rating && Math.ceil(track.rating / 2) * 2 === value));
        star.disabled = !track;
      }
      markRow();
    }
    function showVolume() {
      if (!isTurning) $('volume').value = player.volume.volume;
      $('percent').textContent = player.volume.volume + ' %';
      $('mute').setAttribute('aria-pressed', player.volume.muted);
    }
    function showModes() {
      $('shuffle').setAttribute('aria-pressed', player.modes.shuffle);
      $('repeat').textContent = 'Repeat ' + player.modes.repeat;
    }
    // The rating is the library's, which events do not tell.
    async function loadTrack(isNew) {
      const status = (await send('status')).data;
      if (!status) return;
      player.track = status.track;
      player.queue = status.queue;
      showTrack();
      const isListed = rows.some(row => row.row === player.queue.row);
      if (isNew && rows.length && player.queue.row && !isListed) loadQueue(around());
    }

    // The queue: a part of it, with the row that plays.
    function markRow() {
      for (const item of $('queue').children) {
        if (player.track && item.dataset.id === String(player.track.id)) item.setAttribute('aria-current', 'true');
        else item.removeAttribute('aria-current');
      }
    }
    async function loadQueue(start) {
      const turn = ++loading, length = player.queue.length || 0;
      const first = Math.max(1, Math.min(start, length - windowSize + 1));
      const last = Math.min(length, first + windowSize - 1);
      const answer = length ? await send('queue ' + first + ' ' + last) : { data: [] };
      if (turn !== loading || !Array.isArray(answer.data)) return;
      rows = answer.data;
      $('length').textContent = length ? '(' + length + ')' : 'is empty';
      $('earlier').hidden = first <= 1;
      $('later').hidden = last >= length;
      $('queue').replaceChildren(...rows.map(row => {
        const item = make('li'), what = make('button', row.name, 'what');
        item.dataset.id = row.id;
        what.append(make('span', [row.artist, row.album].filter(Boolean).join(', '), 'note'));
        what.onclick = () => send('goto ' + row.row);
        const remove = make('button', '×');
        remove.setAttribute('aria-label', 'Remove ' + row.name + ' from the queue');
        remove.onclick = () => send('remove ' + row.row);
        item.append(what, make('span', row.duration ? time(row.duration) : ''), remove);
        return item;
      }));
      markRow();
    }
    const around = () => (player.queue.row || 1) - 10;

    // Search.
    async function search() {
      const words = $('words').value.trim(), turn = ++searching;
      const found = words ? await ask('search?' + encodeURIComponent(words)) : [];
      if (turn !== searching) return;
      const list = Array.isArray(found) ? found : [];
      $('count').textContent = !words ? '' : list.length ? list.length + (list.length > 1 ? ' results' : ' result')
        : 'Nothing found';
      $('results').replaceChildren(...list.map((row, index) => {
        const item = make('li'), what = make('div', row.title || 'Unknown', 'what');
        const tracks = row.count === 1 ? '1 track' : row.count + ' tracks';
        const note = row.kind === 'artist' ? ['Artist', tracks] : row.kind === 'album'
          ? ['Album', row.artist, row.year, tracks] : [row.artist, row.album];
        what.append(make('span', note.filter(Boolean).join(', '), 'note'));
        item.append(what);
        for (const verb of ['play', 'add']) {
          const button = make('button', verb === 'play' ? 'Play' : 'Add');
          button.setAttribute('aria-label', button.textContent + ' ' + row.title);
          button.onclick = () => ask('found', { method: 'POST', body: verb + ' ' + index + ' ' + words });
          item.append(button);
        }
        return item;
      }));
    }

    // News of the player.
    function take(name, data) {
      if (name === 'position') {
        player.state = data.state;
        player.position = data.position;
        player.duration = data.duration;
        clock = performance.now();
        showState();
      } else if (name === 'track') {
        const rating = player.track && data && player.track.id === data.id ? player.track.rating : undefined;
        player.track = data && { rating, ...data };
        showTrack();
        loadTrack(true);
      } else if (name === 'queue') {
        player.queue = data;
        loadQueue(rows.length ? rows[0].row : around());
      } else if (name === 'volume') { player.volume = data; showVolume(); }
      else if (name === 'modes') { player.modes = data; showModes(); }
    }
    function follow() {
      const events = new EventSource('events');
      events.onopen = () => { rows = []; say(''); };
      events.onmessage = event => { const change = JSON.parse(event.data); take(change.name, change.data); };
      events.onerror = () => {
        say('The connection is lost; trying again.', true);
        if (events.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
      };
    }

    // Input of the listener.
    for (let value = 2; value <= 10; value += 2) {
      const star = make('button', '☆');
      star.dataset.value = value;
      star.setAttribute('aria-label', value / 2 + (value === 2 ? ' star' : ' stars'));
      star.onclick = async () => {
        await send('rate ' + (star.getAttribute('aria-pressed') === 'true' ? 'none' : value));
        loadTrack();
      };
      $('rating').append(star);
    }
    $('previous').onclick = () => send('previous');
    $('next').onclick = () => send('next');
    $('toggle').onclick = () => send('toggle');
    $('mute').onclick = () => send('mute');
    $('shuffle').onclick = () => send('shuffle');
    $('repeat').onclick = () => send('repeat');
    $('undo').onclick = () => send('undo');
    $('seek').oninput = () => { isSeeking = true; showPosition(); };
    $('seek').onchange = async () => { await send('seek ' + $('seek').value); isSeeking = false; };
    $('volume').oninput = async () => {
      if (isTurning) return;
      isTurning = true;
      for (let sent = -1; sent !== $('volume').value;) {
        sent = $('volume').value;
        await send('volume ' + sent);
      }
      isTurning = false;
    };
    $('cover').onload = () => { $('cover').hidden = false; };
    $('cover').onerror = () => { $('cover').hidden = true; };
    $('earlier').onclick = () => loadQueue(rows[0].row - windowSize);
    $('later').onclick = () => loadQueue(rows[0].row + windowSize);
    $('search').onsubmit = event => { event.preventDefault(); search(); };
    let typing = 0;
    $('words').oninput = () => { clearTimeout(typing); typing = setTimeout(search, 300); };
    function listen(isOn) {
      const audio = $('audio');
      $('listen').setAttribute('aria-pressed', isOn);
      if (isOn) {
        audio.src = 'stream?' + Date.now();
        audio.play().then(() => say('You hear it about two seconds late.'), () => {
          if (!audio.hasAttribute('src')) return;
          listen(false);
          say('This browser cannot play it. Try set stream-format=mp3 in segue.');
        });
      } else {
        audio.removeAttribute('src');
        audio.load();
      }
    }
    $('listen').onclick = () => listen(!$('audio').hasAttribute('src'));
    $('audio').onended = () => listen(false);
    document.onvisibilitychange = showState;
    document.onkeydown = event => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('button, input')) return;
      if (event.key === ' ') { event.preventDefault(); send('toggle'); }
      else if (event.key === '/') { event.preventDefault(); $('words').focus(); }
    };
    follow();

    """#
}
