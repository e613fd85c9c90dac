/**
 * Version of the data contract: the serving tables, and the parameters and payloads of the read contract. Semantic version: a removal or
 * change of meaning is major, an addition minor, a change of texts a patch. `docs/contract.json` is the contract of this version;
 * `docs/contract_changelog.md` lists the changes, and `npm run docs` takes the number from its newest heading.
 */
export const CONTRACT_VERSION = '7.1.0';
