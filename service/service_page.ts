import { STYLE } from '../ops/look/style.ts';

/** Common start of all page scripts: builds elements without markup, and shows what was wrong with a request. */
export const COMMON_SCRIPT = `
const $ = (id) => document.getElementById(id);
const el = (tag, props = {}, ...children) => { const node = Object.assign(document.createElement(tag), props); node.append(...children); return node; };
const whatIsWrong = (detail) => Array.isArray(detail) ? detail.map(({ loc, msg }) => (loc.slice(1).join(' ') || loc[0]) + ': ' + msg).join('; ') : detail && detail.msg;
`;

/** Styles of the service's pages in addition to the console's. */
const OWN_STYLE = `
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.3rem .8rem}
summary code{white-space:normal;overflow-wrap:anywhere;color:var(--ink)}summary span{float:right}
label{display:grid;grid-template-columns:14rem 16rem 1fr;gap:.6rem;margin:.3rem 0;align-items:center}label b{overflow-wrap:anywhere}p label{display:block}
label span,.status{color:var(--soft);font-size:.85rem}#key{width:100%;font-family:ui-monospace,monospace}
button{background:var(--link);border-color:var(--link);color:var(--ground);margin:.4rem 0;padding:.3rem .9rem}
button.danger{background:none;border-color:var(--fail);color:var(--fail);font-weight:600}.plain{background:none;color:var(--link)}.brief{display:block;float:none!important;color:var(--soft)}[open]>summary .brief{display:none}.new label{grid-template-columns:14rem minmax(0,16rem) 1fr}#search{width:100%;max-width:26rem}input:user-invalid{border-color:var(--fail)}
#made{white-space:normal;overflow-wrap:anywhere}
@media (max-width:45rem){summary span{float:none}label,.new label{grid-template-columns:1fr;gap:.1rem}}
`;

/** Builds a page of the service. `at`: its path. */
export const servicePage = (at: string, title: string, body: string, script: string): string => {
  const link = (path: string, name: string): string =>
    `<a href="${path}"${path === at ? ' aria-current="page"' : ''}>${name}</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}${OWN_STYLE}</style></head>
<body><header class="top"><span class="name">Property and suburb data</span><nav aria-label="Service">${link('/', 'Try it')}${link('/portal', 'Account')}</nav></header>
<main><h1>${title}</h1>${body}</main><script>${script}</script></body></html>
`;
};
