/** Selects all gates of a table with one box. */
for (const all of document.querySelectorAll('[data-all]')) {
  const set = all.closest('fieldset');
  const boxes = [...set.querySelectorAll('input[name=gate]')];
  for (const part of all.parentElement.children) part.hidden = false;
  const follow = () => {
    all.checked = boxes.every(({ checked }) => checked);
    all.indeterminate = !all.checked && boxes.some(({ checked }) => checked);
  };
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  set.addEventListener('change', follow);
  follow();
}
