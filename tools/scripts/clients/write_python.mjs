// Writes the models and operations of the Python client: node write_python.mjs <OpenAPI document> <folder>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

const [file, folder] = process.argv.slice(2);
const document = JSON.parse(readFileSync(file, 'utf8'));
const METHODS = ['get', 'post', 'delete'];
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  METHODS.filter((method) => methods[method]).map((method) => ({ path, method, ...methods[method] })),
);
/** Name of the schema of an answer; undefined: it has none. */
const answerOf = ({ responses }) =>
  responses['200']?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);

/** A schema in the words of the generator: definitions, and dates as the texts that they are. */
const asDefinitions = (schemas) =>
  JSON.parse(
    JSON.stringify(schemas, (name, value) =>
      name === 'format' && typeof value === 'string' ? undefined : value,
    ).replaceAll('#/components/schemas/', '#/definitions/'),
  );

async function models() {
  const definitions = asDefinitions(document.components.schemas);
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
  for (const name of new Set(operations.map(answerOf).filter(Boolean)))
    await input.addSource({ name, schema: JSON.stringify({ definitions, $ref: `#/definitions/${name}` }) });
  const data = new InputData();
  data.addInput(input);
  const rendererOptions = { 'python-version': '3.7' };
  return (await quicktype({ inputData: data, lang: 'python', rendererOptions })).lines.join('\n');
}

const TYPES = { integer: 'int', number: 'float', boolean: 'bool', string: 'str', object: 'Dict[str, Any]' };
const typeOf = ({ type, items }) => {
  const one = [type].flat().find((each) => each !== 'null');
  return one === 'array' ? `Sequence[${typeOf(items ?? {})}]` : (TYPES[one] ?? 'Any');
};
const snake = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/** A method of the client. `isMade` tells whether the models read the answer. */
function methodOf(operation, isMade) {
  const { operationId, path, method, description = '', parameters = [], requestBody } = operation;
  const body = requestBody?.content['application/json'].schema;
  const names = parameters.filter((each) => each.in === 'path');
  const given = body
    ? Object.entries(body.properties).map(([name, schema]) => ({
        name,
        schema,
        required: body.required?.includes(name),
      }))
    : parameters.filter((each) => each.in === 'query');
  const signature = [
    'self',
    ...names.map(({ name }) => `${name}: str`),
    ...(given.length > 0 ? ['*'] : []),
    ...given.map(({ name, schema, required }) =>
      required ? `${name}: ${typeOf(schema)}` : `${name}: Optional[${typeOf(schema)}] = None`,
    ),
  ].join(', ');
  const dictOf = (list) => `{${list.map(({ name }) => `"${name}": ${name}`).join(', ')}}`;
  const name = answerOf(operation);
  const reader = name && `${snake(name)}_from_dict`;
  const type = name && isMade(reader);
  const call = `self._call("${method.toUpperCase()}", "${path}", ${dictOf(names)}, ${dictOf(given)})`;
  return `    def ${operationId}(${signature}) -> ${type ? type.replace(/\b([A-Z]\w+)\b/g, (word) => (word === 'List' || word === 'Any' ? word : `models.${word}`)) : 'Any'}:
        """${description.replaceAll('"""', '')}"""
        return ${type ? `models.${reader}(${call})` : call}
`;
}

const text = await models();
const readers = new Map(
  [...text.matchAll(/^def (\w+_from_dict)\(s: Any\) -> (.+):$/gm)].map(([, name, type]) => [name, type]),
);
writeFileSync(join(folder, 'models.py'), text);
const methods = operations
  .filter(({ operationId, responses }) => responses['200'] && operationId !== 'ping_head')
  .map((operation) => methodOf(operation, (reader) => readers.get(reader)));
writeFileSync(
  join(folder, 'operations.py'),
  `"""The operations of the service, generated from its OpenAPI document."""

from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import models


class Operations:
    """Every operation as a method."""

    def _call(self, method: str, path: str, names: Mapping[str, str], given: Mapping[str, Any]) -> Any:
        raise NotImplementedError

${methods.join('\n')}`,
);
