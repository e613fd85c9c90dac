/** Follows a run until it ends, then opens its report. */
const part = document.getElementById('progress');
const lost = document.getElementById('lost');
const EVERY_MS = 1500;

/** Replaces the content; open details stay open. */
function show({ body }) {
  const isOpen = part.querySelector('details')?.open ?? false;
  part.innerHTML = body;
  const details = part.querySelector('details');
  if (details) details.open = isOpen;
}

async function ask() {
  try {
    const response = await fetch(`/runs/${part.dataset.run}/progress`);
    if (!response.ok) throw new Error(String(response.status));
    const found = await response.json();
    lost.hidden = true;
    if (found.state !== 'running') return location.reload();
    show(found);
  } catch {
    lost.hidden = false;
  }
  setTimeout(ask, EVERY_MS);
}

setTimeout(ask, EVERY_MS);
