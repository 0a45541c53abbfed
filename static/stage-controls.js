// The controls of a group of stages: one clock, whatever it moves.

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

// controls fills a place with the controls of a group.
export function controls(place, group) {
  const scrub = input({ type: "range", min: 0, max: group.length, step: group.length / 1000, className: "stage-scrub", ariaLabel: "Time" });
  const restart = button("Restart", () => group.seek(0));
  const back = button("◂ Event", () => group.step(-1), "The event before");
  const play = button("▶ Play", () => group.toggle());
  const step = button("Event ▸", () => group.step(1), "Next event");
  play.className = "stage-play";
  const time = Object.assign(document.createElement("span"), { className: "stage-time" });
  const speed = document.createElement("select");
  const choices = [...new Set([...speeds, group.speed])].sort((a, b) => a - b);
  speed.append(...choices.map((s) => new Option(`${s} ×`, s, s === 1, s === group.speed)));
  speed.onchange = () => {
    group.speed = Number(speed.value);
    group.refresh();
  };
  const client = input({ type: "number", min: 1, step: 1, className: "stage-client", placeholder: "none" });
  client.oninput = () => group.follow(client.value === "" ? -1 : Number(client.value) - 1);
  scrub.oninput = () => {
    group.pause();
    group.seek(Number(scrub.value));
  };
  const event = Object.assign(document.createElement("p"), { className: "stage-event" });
  event.setAttribute("role", "status");
  const row = Object.assign(document.createElement("div"), { className: "stage-buttons" });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Player");
  row.append(play, restart, back, step, time, labelled("Speed", speed), labelled("Follow", client, "client"));
  place.replaceChildren(scrub, row, event);
  place.hidden = false;
  return {
    say(text) { event.textContent = text; },
    end() { place.replaceChildren(); },
    // refresh shows the group's time; with `words` all of it.
    refresh(words) {
      if (scrub !== document.activeElement || group.playing) scrub.value = group.time;
      time.textContent = `${group.time.toFixed(2)} s`;
      if (!words) return;
      scrub.setAttribute("aria-valuetext", `${group.time.toFixed(2)} of ${Number(group.length.toPrecision(4))} s`);
      play.textContent = group.playing ? "❚❚ Pause" : "▶ Play";
      play.hidden = group.still;
      for (const control of [play, restart, back, step, scrub, client]) control.disabled = !group.ready;
      client.max = group.clients;
      if (client !== document.activeElement) client.value = group.followed < 0 ? "" : group.followed + 1;
    },
  };
}

function input(properties) {
  const made = document.createElement("input");
  for (const name of ["type", "min", "max", "step"]) if (name in properties) made[name] = properties[name];
  return Object.assign(made, properties);
}

function button(text, action, title = "") {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title, onclick: action });
  if (title) made.setAttribute("aria-label", title);
  return made;
}

// labelled puts a label before a control; more of it is said where there is room.
function labelled(text, control, more = "") {
  const made = document.createElement("label");
  made.append(`${text} `, Object.assign(document.createElement("span"), { className: "stage-more", textContent: more && `${more} ` }), control);
  return made;
}
