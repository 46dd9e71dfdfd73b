// Live demos in the guide, in its colours. The lab is the folder around the guide. Where this does not run, and on the
// page that is printed, the pictures and links inside the elements remain.
{
const LAB = new URL('../fairlane-demo.js', document.currentScript.src).href;
const DARK = ['coal', 'navy', 'ayu'];
const demos = document.querySelectorAll('fairlane-demo');

function follow() {
  const dark = DARK.some(name => document.documentElement.classList.contains(name));
  for (const demo of demos) {
    // Set again it would load the demo again.
    if ((demo.getAttribute('theme') === 'dark') !== dark || !demo.hasAttribute('theme')) {
      demo.setAttribute('theme', dark ? 'dark' : 'light');
    }
  }
}

if (demos.length > 0 && !location.pathname.endsWith('/print.html')) {
  follow();
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ['class'] });
  document.head.append(Object.assign(document.createElement('script'), { src: LAB }));
}
}
