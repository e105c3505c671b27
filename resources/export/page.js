// Filters the decisions; the page is complete without it.
document.documentElement.classList.add('scripted');
const turns = [...document.querySelectorAll('.turn')], find = document.querySelector('#find'), shown = document.querySelector('#shown');
const boxes = [...document.querySelectorAll('.bar input[type=checkbox]')];
function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean), wanted = boxes.filter(b => b.checked).map(b => b.value);
  let count = 0;
  for (const turn of turns) {
    const text = turn.textContent.toLowerCase(), kinds = turn.dataset.kinds.split(' ');
    turn.hidden = !(words.every(w => text.includes(w)) && wanted.every(k => kinds.includes(k)));
    count += !turn.hidden;
  }
  shown.textContent = count + ' of ' + turns.length + ' decisions';
}
find.addEventListener('input', filter); boxes.forEach(b => b.addEventListener('change', filter)); filter();
