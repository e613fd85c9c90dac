/** Where the picture is wider than the window, what the page is about stands in the middle of it. */
const picture = document.querySelector('.lineage');
const here = picture.querySelector('.here rect').getBoundingClientRect();
const { left, width } = picture.getBoundingClientRect();
picture.scrollLeft += here.left + here.width / 2 - (left + width / 2);
