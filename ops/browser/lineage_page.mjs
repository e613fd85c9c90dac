/** If the picture is wider than the window, scrolls the page's own node to the middle. */
const picture = document.querySelector('.lineage');
const ownBox = picture.querySelector('.here rect').getBoundingClientRect();
const { left, width } = picture.getBoundingClientRect();
picture.scrollLeft += ownBox.left + ownBox.width / 2 - (left + width / 2);
