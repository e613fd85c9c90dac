import { servicePage } from './service_page.ts';

/** The page of an account. */
export const PORTAL_PAGE = servicePage(
  '/portal',
  'Account',
  `<form id="open"><p><label for="token">The token of the account, which was shown when it was opened</label><input id="token" type="password" autocomplete="off"> <button>Open</button></p></form>
<p id="says" class="status" role="status"></p>
<div id="account" hidden>
<h2>Spend by day and endpoint</h2><div id="plot"></div>
<h2>Keys, newest first</h2><div class="rows"><table><thead><tr><th scope="col">key</th><th scope="col">for</th><th scope="col">made</th><th scope="col">expires</th><th scope="col">a day</th><th scope="col">may ask</th><td></td></tr></thead><tbody id="keys"></tbody></table></div>
<div id="watching"><h2>Watches</h2><div class="rows"><table><thead><tr><th scope="col">number</th><th scope="col">to</th><th scope="col">properties</th><th scope="col">state</th><th scope="col">notified up to publication</th><th scope="col">last failure</th></tr></thead><tbody id="watches"></tbody></table></div></div>
<h2>A new key</h2><form id="create" class="new">
<label><b>What it is for</b><input id="label" required><span>At most 100 characters.</span></label>
<label><b>Expires, UTC</b><input id="expires_at" type="datetime-local"><span>Empty: never.</span></label>
<label><b>Daily limit (A$)</b><input id="day_max" type="number" min="0" max="1000000" step="0.01"><span>Empty: as much as the account has.</span></label>
<label><b>Allowed endpoints</b><input id="scope" placeholder="rest /v1/suburbs" spellcheck="false"><span><code>rest</code>, <code>mcp</code>, or beginnings of paths, with spaces between. Empty: everything.</span></label>
<button>Create the key</button> <code id="made" role="status"></code></form>
</div>`,
  'portal_page.mjs',
);
