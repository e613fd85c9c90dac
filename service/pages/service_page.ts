import { STYLE } from '../../ops/look/style.ts';

/** Styles of the service's pages in addition to the console's. */
const OWN_STYLE = `
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.3rem .8rem}
summary code{white-space:normal;overflow-wrap:anywhere;color:var(--ink)}summary span{float:right}
label{display:grid;grid-template-columns:14rem 16rem 1fr;gap:.6rem;margin:.3rem 0;align-items:center}label b{overflow-wrap:anywhere}p label{display:block}
label span,.status{color:var(--soft);font-size:.85rem}#key{width:100%;font-family:ui-monospace,monospace}
button{background:var(--link);border-color:var(--link);color:var(--ground);margin:.4rem 0;padding:.3rem .9rem}
button.danger{background:none;border-color:var(--fail);color:var(--fail);font-weight:600}.plain{background:none;color:var(--link)}.brief{display:block;float:none!important;color:var(--soft)}[open]>summary .brief{display:none}.new label{grid-template-columns:14rem minmax(0,16rem) 1fr}#search{width:100%;max-width:26rem}input:user-invalid{border-color:var(--fail)}
#contents{display:none}#contents h3{margin:.9rem 0 .2rem}#contents a{display:block;text-decoration:none;overflow-wrap:anywhere;font-size:.85rem}
@media (min-width:60rem){main:has(#contents){max-width:84rem}.beside-contents{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:0 1.5rem}#contents{display:block;position:sticky;top:0;max-height:100vh;overflow:auto}}
.guide td,.guide th,.guide code{overflow-wrap:anywhere}.guide code{white-space:pre-wrap}.guide table{display:block;overflow-x:auto}
@media (min-width:60rem){.example:has(.answer){display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:0 1rem}}.answer{max-height:16rem}
#made,#plot code{white-space:normal;overflow-wrap:anywhere}
@media (max-width:45rem){summary span{float:none}label,.new label{grid-template-columns:1fr;gap:.1rem}}
`;

/** Builds a page of the service. `at`: its path. `script`: its module in service/pages/browser; null: none. */
export const servicePage = (at: string, title: string, body: string, script: string | null): string => {
  const link = (path: string, name: string): string =>
    `<a href="${path}"${path === at ? ' aria-current="page"' : ''}>${name}</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}${OWN_STYLE}</style></head>
<body><header class="top"><span class="name">Property and suburb data</span><nav aria-label="Service">${link('/', 'Try it')}${link('/guide', 'Guide')}${link('/portal', 'Account')}</nav></header>
<main><h1>${title}</h1>${body}</main>${script === null ? '' : `<script type="module" src="/static/${script}"></script>`}</body></html>
`;
};
