// The controls of the viewer: buttons, seats, options, keys and their help.
"use strict";

window.arbiterControls = (() => {
  const { label, make } = window.arbiterBoard;
  const theme = window.arbiterTheme;
  const { keys: KEYS } = window.arbiterKeys;
  const KEY_OF = Object.fromEntries(KEYS.flatMap((key) => key.keys.map((name) => [name, key])));
  const ICONS = {
    first: "M6 5h2v14H6zM19 5v14L9 12z",
    back: "M16 5v14L6 12z",
    play: "M8 5v14l11-7z",
    pause: "M7 5h4v14H7zM13 5h4v14h-4z",
    forward: "M8 5v14l10-7z",
    last: "M5 5v14l10-7zM16 5h2v14h-2z",
    attack: "M12 2l2.4 6.2L20 5l-3 5.6L23 12l-6 1.4L20 19l-5.6-3.2L12 22l-2.4-6.2L4 19l3-5.6L1 12l6-1.4L4 5l5.6 3.2z",
    flip: "M7 3l5 5H9v13H5V8H2zM17 21l-5-5h3V3h4v13h3z",
  };
  // The buttons, each with the first of the keys that do the same.
  const BUTTONS = {
    first: "Home", back: "ArrowLeft", play: " ", forward: "ArrowRight", last: "End", attack: "a", flip: "f", help: "?",
  };
  const THEME_KEY = "arbiter-theme";
  const REPORTS_KEY = "arbiter-reports";

  const explain = (key) => window.arbiterWords.keys[key.text];
  const capitalise = (text) => text[0].toUpperCase() + text.slice(1);
  const read = (key) => {
    try { return localStorage.getItem(key); } catch { return null; }
  };
  // The page works without.
  const keep = (key, value) => {
    try { localStorage.setItem(key, value); } catch {}
  };
  const setTheme = (name) => {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
  };

  // Adds buttons that do the same as a key.
  function addButtons(parent, press) {
    const controls = make(parent, "div", { class: "controls", role: "group", "aria-label": window.arbiterWords.viewer.navigation });
    for (const [name, shortcut] of Object.entries(BUTTONS)) {
      const key = KEY_OF[shortcut], does = capitalise(explain(key));
      const button = make(controls, "button", { type: "button", class: name, "aria-label": does, title: `${does} (${key.written})` });
      if (name in ICONS) make(make(button, "svg:svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }), "svg:path", { d: ICONS[name] });
      else button.textContent = shortcut;
      button.addEventListener("click", () => press(shortcut));
    }
    const play = controls.querySelector(".play");
    play.setAttribute("aria-pressed", "false");
    return play;
  }

  function showPlaying(button, playing) {
    button.querySelector("path").setAttribute("d", ICONS[playing ? "pause" : "play"]);
    button.setAttribute("aria-pressed", playing);
  }

  function addSlider(parent, go) {
    const slide = make(parent, "label", { class: "slide" });
    make(slide, "span", { class: "hidden" }, label("frame"));
    const slider = make(slide, "input", { type: "range", min: 0, value: 0 });
    slider.addEventListener("input", () => go(Number(slider.value)));
    return slider;
  }

  // Adds the choice of a seat and returns the radio buttons by seat.
  function addSeats(parent, data, choose) {
    const seats = make(parent, "fieldset", { class: "seats" });
    make(seats, "legend", { class: "hidden" }, label("view"));
    return Object.fromEntries(data.viewers.map((seat) => {
      const choice = make(seats, "label", { class: seat });
      const radio = make(choice, "input", { type: "radio", name: "seat", value: seat });
      make(choice, "span", {}, label(seat === "arbiter" ? "everything" : seat).replace(/^./u, (sign) => sign.toUpperCase()));
      radio.addEventListener("change", () => choose(seat));
      return [seat, radio];
    }));
  }

  // Adds the choice of a rank: the board shows the squares on which it can be.
  function addWanted(parent, data, choose) {
    const question = label("where_can_it_be");
    const names = Object.entries(data.ranks).filter(([, { army }]) => army).map(([rank, { sign, red, blue }]) => [rank, `${red === blue ? red : `${red} / ${blue}`} (${sign})`]);
    const select = addSelect(parent, "wanted", "", [["", question], ...names], "", choose);
    select.setAttribute("aria-label", question);
    select.title = label("wanted_help");
    return select;
  }

  // Adds the button that shows what the bots report; `show` receives whether it is pressed, which is remembered.
  function addReports(parent, show) {
    const title = `${capitalise(explain(KEY_OF.w))} (${KEY_OF.w.written})`;
    const button = make(parent, "button", { type: "button", class: "reports", title }, label("reports"));
    const set = (isPressed) => {
      button.setAttribute("aria-pressed", isPressed);
      show(isPressed);
    };
    button.addEventListener("click", () => {
      const isPressed = button.getAttribute("aria-pressed") !== "true";
      keep(REPORTS_KEY, isPressed ? "yes" : "no");
      set(isPressed);
    });
    set(read(REPORTS_KEY) === "yes");
    return button;
  }

  function addSelect(parent, kind, name, values, value, choose) {
    const select = make(make(parent, "label", { class: kind }, `${name} `), "select");
    for (const [key, text] of values) make(select, "option", key === value ? { value: key, selected: "" } : { value: key }, text);
    select.addEventListener("change", () => choose(select.value));
    return select;
  }

  // Adds the options; returns the list of speeds and the field for a ply.
  function addOptions(parent, { speeds, speed, setSpeed, setSound, goToPly }) {
    const options = make(parent, "p", { class: "options" });
    const speedList = addSelect(options, "speed", label("speed"), speeds.map((one) => [String(one), one]), String(speed), (value) => setSpeed(Number(value)));
    addSelect(options, "colours", label("colours"), [["", label("as_the_system")], ...theme.themes.map((name) => [name, label(`theme_${name}`)])], read(THEME_KEY) || "", (name) => {
      keep(THEME_KEY, name);
      setTheme(name);
    });
    const plyField = make(make(options, "label", {}, `${label("ply")} `), "input", { type: "number", min: 0, class: "goto" });
    plyField.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      plyField.value = "";
      plyField.blur();
    });
    plyField.addEventListener("change", () => {
      if (plyField.value !== "") goToPly(Number(plyField.value));
      plyField.blur();
    });
    const sound = make(make(options, "label", {}), "input", { type: "checkbox" });
    sound.parentElement.append(` ${label("option_sound")}`);
    sound.addEventListener("change", () => setSound(sound.checked));
    return { speedList, plyField };
  }

  // Adds the help: the keys, and the signs and names of the pieces.
  function addHelp(parent, data) {
    const help = make(parent, "dialog", { class: "help", "aria-label": label("help") });
    make(make(help, "form", { method: "dialog" }), "button", {}, label("close"));
    const list = make(help, "dl");
    const names = Object.values(data.ranks).filter(({ army }) => army).map(({ sign, red, blue }) => [sign, red === blue ? red : `${red} / ${blue}`]);
    for (const [term, meaning] of KEYS.map((key) => [key.written, explain(key)]).concat(names)) {
      make(list, "dt", {}, term);
      make(list, "dd", {}, meaning);
    }
    return help;
  }

  // --- keys ---

  // A control keeps the keys that it needs itself: a list, a field and a slider all, a scrolled block those that scroll
  // it, buttons and links those that press them. Everywhere else the keys are those of the game.
  function keepsKey(target, key) {
    if (target.closest("select, textarea, dialog, input:not([type=radio]):not([type=checkbox])")) return true;
    if (key === " " || key === "Enter") return Boolean(target.closest("button, summary, a, input"));
    const across = /^Arrow(Left|Right)$/.test(key);
    if (!across && !/^(Arrow(Up|Down)|Page(Up|Down)|Home|End)$/.test(key)) return false;
    for (let node = target; node instanceof HTMLElement && node !== document.body; node = node.parentElement) {
      const room = across ? node.scrollWidth - node.clientWidth : node.scrollHeight - node.clientHeight;
      if (node.tabIndex >= 0 && room > 1 && /auto|scroll/.test(getComputedStyle(node).overflow)) return true;
    }
    return false;
  }

  // Returns a function that carries out the action of a key, after `before`, and returns false if it has none.
  function bindKeys(actions, before) {
    const press = (name) => {
      const key = Object.hasOwn(KEY_OF, name) ? KEY_OF[name] : null;
      if (!key && !/^[0-9]$/.test(name)) return false;
      before();
      if (key) actions[key.action](key.argument);
      else actions.ask_ply(name);
      return true;
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || keepsKey(event.target, event.key)) return;
      if (press(event.key)) event.preventDefault();
    });
    return press;
  }

  setTheme(read(THEME_KEY));
  return { addButtons, addHelp, addOptions, addReports, addSeats, addSlider, addWanted, bindKeys, showPlaying };
})();
