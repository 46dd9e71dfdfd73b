// Live demos in the guide, in its colours. The lab is the folder around the guide. Where this does not run, and on the
// page that is printed, the pictures and links inside the elements remain.
{
const LAB = new URL('../fairlane-demo.js', document.currentScript.src).href;
const DARK = ['coal', 'navy', 'ayu'];
const demos = document.querySelectorAll('fairlane-demo');

function follow() {
  const theme = DARK.some(name => document.documentElement.classList.contains(name)) ? 'dark' : 'light';
  for (const demo of demos) demo.setAttribute('theme', theme);
}

if (demos.length > 0 && !location.pathname.endsWith('/print.html')) {
  follow();
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ['class'] });
  document.head.append(Object.assign(document.createElement('script'), { src: LAB }));
}

// What mdBook's page lacks for readers without a mouse: what scrolls, and the label that opens the contents.
for (const part of document.querySelectorAll('pre > code, .table-wrapper')) part.tabIndex = 0;
const toggle = document.getElementById('mdbook-sidebar-toggle');
if (toggle) {
  toggle.role = 'button';
  toggle.tabIndex = 0;
  toggle.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    toggle.click();
  });
}
}
