import { servicePage } from './service_page.ts';

/** Page to try every call. On a wide window a list of the calls is on its left. */
export const TRY_PAGE = servicePage(
  '/',
  'Try every call',
  `<p>The public sandbox key is filled in: it answers for one property and one suburb of each state, and costs nothing.
The <a href="/guide">guide</a> begins with ten lines of code and explains each error. The whole description is <a href="/openapi.json">openapi.json</a>; the same calls are tools at <code>/mcp</code>.</p>
<p><label for="key">Key</label><input id="key" autocomplete="off" spellcheck="false"></p>
<p><label for="search">Search</label><input id="search" type="search" placeholder="valuation, suburb, flood …" autocomplete="off"> <span id="count" class="status" role="status"></span></p>
<div class="beside-contents"><nav id="contents" aria-label="Calls"></nav><div id="operations"></div></div>`,
  'try_page.mjs',
);
