/** Element with an id. */
export const $ = (id) => document.getElementById(id);

/** Creates an element with text and children, never from markup. */
export function el(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

/** Says what was wrong with a request, from the detail of its answer. */
export const whatIsWrong = (detail) =>
  Array.isArray(detail)
    ? detail.map(({ loc, msg }) => `${loc.slice(1).join(' ') || loc[0]}: ${msg}`).join('; ')
    : detail?.msg;

/** Formats cents as dollars. */
export const centsText = (cents) => `$${(cents / 100).toFixed(2)}`;
