/** Data embedded in the page. */
export const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);

/** Creates an element with text and children, never from markup. */
export function element(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}
