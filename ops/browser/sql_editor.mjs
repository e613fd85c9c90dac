import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { dataOf, element } from './dom.mjs';

/** Editor in place of the text field of a query: completes tables and columns; Ctrl+Enter runs the query. */
const field = document.getElementById('q');
const { form } = field;
const tables = dataOf('columns');
const schema = Object.fromEntries(
  Object.entries(tables).map(([name, columns]) => [name, Object.keys(columns)]),
);

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--link)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--pass)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--soft)' },
]);
const look = EditorView.theme({
  '&': { color: 'var(--ink)', background: 'var(--ground)', border: '1px solid #8595a3', borderRadius: '5px' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '2px' },
  '.cm-scroller': { minHeight: '9rem', maxHeight: '26rem', font: '13px/1.5 ui-monospace, monospace' },
  '.cm-gutters': { background: 'var(--paper)', color: 'var(--soft)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--paper)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { background: 'var(--paper)', color: 'var(--ink)' },
  '.cm-selectionBackground': { background: 'var(--bar) !important' },
});
const run = () => {
  form.requestSubmit();
  return true;
};
const editor = new EditorView({
  doc: field.value,
  extensions: [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    basicSetup,
    sql({ dialect: PostgreSQL, schema }),
    syntaxHighlighting(colours),
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': 'Query', spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) field.value = state.doc.toString();
    }),
  ],
});
field.hidden = true;
field.required = false;
field.after(editor.dom);

/** Lists the tables with their columns. A click on a name writes it at the cursor. */
const nameButton = ([name, type]) => {
  const onclick = () => {
    editor.dispatch(editor.state.replaceSelection(name));
    editor.focus();
  };
  return element('button', { type: 'button', className: 'plain', textContent: `${name} ${type}`, onclick });
};
for (const [table, columns] of Object.entries(tables)) {
  const names = [[table, ''], ...Object.entries(columns)].map(nameButton);
  document
    .getElementById('tables')
    .append(element('details', {}, element('summary', { textContent: table }), ...names));
}
