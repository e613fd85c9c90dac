/**
 * Version of the data contract: the serving tables, and the parameters and payloads of the read contract. Semantic: what a reader may
 * rely on goes or changes its meaning, major; something is added, minor; texts only, patch. `docs/contract.json` is the
 * contract of this version; `docs/contract_changelog.md` says what each version brought, and `npm run docs` takes the number from its newest heading.
 */
export const CONTRACT_VERSION = '4.1.0';
