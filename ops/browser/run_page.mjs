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

async function update() {
  try {
    const response = await fetch(`/runs/${part.dataset.run}/progress`);
    if (!response.ok) throw new Error(String(response.status));
    const progress = await response.json();
    lost.hidden = true;
    if (progress.state !== 'running') return location.reload();
    show(progress);
  } catch {
    lost.hidden = false;
  }
  setTimeout(update, EVERY_MS);
}

setTimeout(update, EVERY_MS);
