(() => {
'use strict';
const menu = document.getElementById('measure');
function show() {
  for (const e of document.querySelectorAll('.by')) e.hidden = e.dataset.m !== menu.value;
}
document.getElementById('choose').hidden = menu.options.length < 2;
menu.addEventListener('change', show);
addEventListener('pageshow', show); // the browser may restore a choice
show();
})();
