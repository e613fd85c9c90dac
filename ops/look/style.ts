/** Styles of every page, for light and dark mode. Text has a contrast of at least 4.5 to 1. */
export const STYLE = `:root{color-scheme:light dark;--ground:#fff;--paper:#f5f7f9;--ink:#1c2733;--soft:#51606e;--line:#e2e8ee;--link:#1d5fa8;--pass:#176b42;--fail:#b3261e;--warn:#8a5a00;--bar:#cfe3d6}
@media (prefers-color-scheme:dark){:root{--ground:#12181f;--paper:#1b242d;--ink:#e4eaf0;--soft:#a3b1bf;--line:#2c3944;--link:#84b9f3;--pass:#5fca93;--fail:#ff8f86;--warn:#e6b450;--bar:#244a38}}
*{box-sizing:border-box}body{font:14px/1.5 system-ui,sans-serif;margin:0;color:var(--ink);background:var(--ground)}
main{max-width:72rem;margin:0 auto;padding:1rem 1rem 3rem}main.full{max-width:none;padding:0}
a{color:var(--link)}a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip,.unseen{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--ground);padding:.3rem .6rem;z-index:9}
header.top{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;padding:.55rem 1rem;border-bottom:1px solid var(--line);background:var(--paper)}
header.top .name{font-weight:650;color:var(--ink);text-decoration:none}header.top nav{display:flex;flex-wrap:wrap;gap:.2rem .9rem}
header.top nav a{text-decoration:none;padding:.15rem 0}header.top nav [aria-current]{color:var(--ink);box-shadow:0 2px 0 var(--link)}
header.top form{display:flex;gap:.4rem}header.top input{flex:1;min-width:0}
input,select,button{font:inherit;color:var(--ink);background:var(--ground);border:1px solid #8595a3;border-radius:5px;padding:.3rem .55rem}button{background:var(--paper);cursor:pointer}button.danger{color:var(--fail);border-color:var(--fail);font-weight:600}
h1{font-size:1.4rem;line-height:1.25;margin:.6rem 0}h2{font-size:1.1rem;margin:2rem 0 .5rem;scroll-margin-top:1rem}h3{font-size:.95rem;margin:1.2rem 0 .3rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
.rows td:nth-last-child(-n+2):not(.n),.rows td code{overflow-wrap:anywhere}.rows td code{white-space:normal}.rows td:not(.n){min-width:4.5rem}.wide{overflow-x:auto}details{margin:.6rem 0}summary{cursor:pointer;color:var(--soft)}details[open]>summary .closed{display:none}
@media screen{details.more:not([open])+* tbody.rest{display:none}}@media print{details.more,header.top,.contents{display:none}details::details-content{content-visibility:visible;block-size:auto}.wide,pre{overflow:visible;max-height:none}.wide svg{max-width:100%!important;height:auto}tr{break-inside:avoid}}
tbody tr:hover{background:var(--paper)}
th{font-weight:600;color:var(--soft);vertical-align:bottom}.n{text-align:right}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}td.zero{color:var(--soft)}
time,code,.line{white-space:nowrap}code,pre{font:12.5px/1.45 ui-monospace,monospace}
.bar{display:block;padding:0 .3rem;background:linear-gradient(to right,var(--bar) var(--share),transparent var(--share))}
.pass,.published,.unchanged{color:var(--pass)}.fail,.failed,.refused,.interrupted{color:var(--fail);font-weight:600}
.accepted,.warn{color:var(--warn);font-weight:600}.note{color:var(--soft)}progress{width:8rem;vertical-align:middle;accent-color:var(--link)}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--paper);padding:.6rem;border-radius:6px;max-height:36rem;overflow:auto}
svg{max-width:100%;height:auto}.for-phone{display:none}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(var(--card,27rem),100%),1fr));gap:.9rem;margin:1rem 0}.card{border:1px solid var(--line);border-radius:8px;padding:.7rem 1rem;background:var(--paper);min-width:0}.card h2{font-size:.95rem;margin:0 0 .4rem}.card p,.card .facts{margin:.35rem 0}.card th,.card td{padding:.15rem .4rem .15rem 0}
.beside .card{margin-bottom:.9rem}.big{margin:.2rem 0;font-size:1.7rem;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}.fold h2{display:inline;margin:0}details.fold{border-top:1px solid var(--line);padding:.7rem 0 0;margin:.7rem 0 0}
.step{display:block;height:1.1em;min-width:10rem;border-radius:3px;background:linear-gradient(to right,transparent var(--from),var(--tone) var(--from) var(--to),transparent var(--to))}
iframe{border:0;width:100%;height:calc(100vh - 3.4rem);display:block}
.find{position:relative;margin-left:auto;flex:1 1 11rem;max-width:26rem}#found{position:absolute;z-index:9;left:0;right:0;top:100%;margin:.2rem 0 0;padding:.2rem;list-style:none;background:var(--ground);border:1px solid var(--line);border-radius:6px;box-shadow:0 6px 20px #0003;max-height:70vh;overflow:auto}#found:empty{display:none}
#found a{display:block;padding:.4rem .5rem;color:var(--ink);text-decoration:none;border-radius:4px}#found a:hover,#found a:focus{background:var(--paper)}#found span{display:block;color:var(--soft);font-size:12.5px}
.asked{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.4rem 0}.asked select,.asked input:not([type]){flex:0 1 16rem;min-width:0}textarea{display:block;width:100%;margin:.3rem 0 .5rem;font:13px/1.5 ui-monospace,monospace;color:var(--ink);background:var(--ground);border:1px solid #8595a3;border-radius:5px;padding:.5rem}tr:has(:target){background:var(--bar)}
@page{size:A4;margin:12mm}@media print{.report{font-size:11px;line-height:1.35;padding:0;color:#000}.report h1{font-size:16px;margin:0}.report h2{font-size:12.5px;margin:.7rem 0 .2rem}.report th,.report td{padding:.1rem .3rem}.report p{margin:.2rem 0}.report .big{font-size:18px}.report .cards{grid-template-columns:repeat(3,1fr);gap:.4rem;margin:.4rem 0}.report .card{padding:.3rem .6rem}}
.contents{columns:14rem;padding-left:1.1rem}.facts{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}.facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}
.split{display:grid;gap:0 2rem}.split>*{min-width:0}@media (min-width:60rem){.split{grid-template-columns:minmax(0,5fr) minmax(0,7fr)}.split .contents{columns:2}}
@media (min-width:40.01rem){.data td{max-width:22rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.data td:has(>.exact){text-align:right;font-variant-numeric:tabular-nums}.data tr:has(:target) td{white-space:normal}}
@media (max-width:40rem){.find{margin-left:0;flex:1 0 100%;max-width:none}.for-window{display:none}.for-phone{display:block}.rows{overflow-x:visible}.rows thead{position:absolute;left:-99rem}.rows table,.rows tbody{display:block;width:100%}
.rows tr{display:flex;flex-wrap:wrap;gap:.05rem .9rem;border-bottom:1px solid var(--line);padding:.45rem 0}.rows td,.rows td.n{display:block;border:0;padding:0;text-align:left;white-space:normal;min-width:0;max-width:100%;overflow-wrap:anywhere}
.rows td:first-child{flex:1 0 100%;font-weight:600}.rows td:empty,.rows td.zero{display:none}.rows td::before{content:attr(data-label) ' ';color:var(--soft);font-weight:400}.rows td:first-child:not(.n)::before{content:none}.rows td:has(.step){flex:1 0 100%}.facts{grid-template-columns:8rem 1fr}.data thead{clip-path:inset(50%)}.data tr{max-height:4.6rem;overflow:hidden}.data tr:has(:target){max-height:none}}`;
