/**
 * The page docs/sources/contracts.md lists the vendors' documents by which fakes are checked, and every point in which the
 * tests know better than a document. It is made from the contracts, so the two cannot differ.
 */
import {
  dateOf,
  type GraphqlContract,
  type HttpContract,
} from '../packages/server/src/test/contracts/contract.ts';

type Contract = HttpContract | GraphqlContract;

/** Returns the page about these contracts. */
export function contractPage(contracts: Iterable<Contract>): string {
  return [
    '<!-- This page is made from the contracts by `npm run source-pages`. -->\n',
    "# Vendors' documents, and where services differ from them\n\n",
    'Sources of the classes C and D ([what the classes mean](README.md)) are tested against fakes. ',
    "Every request and every answer of a test is checked by the vendor's machine-readable document, ",
    'of which the project has [digests](../connectors.md#the-contract). ',
    'Where a document lacks a fact or has it wrong, the tests follow the reason that stands below it.\n',
    ...[...contracts].toSorted((a, b) => (a.title < b.title ? -1 : 1)).map(sectionOf),
  ].join('');
}

function sectionOf(contract: Contract): string {
  const { title, origin } = contract;
  const operations = 'operations' in contract ? contract.operations.length : 0;
  const facts = [
    `[its document](${origin.address}), ${origin.license}, of ${dateOf(origin)}`,
    ...(operations > 0 ? [`${operations} operations are used`] : []),
  ];
  const amendments = ('amendments' in contract && contract.amendments) || [];
  return [
    `\n## ${title}\n\n${facts.join('; ')}.\n\n`,
    ...(amendments.length > 0
      ? amendments.map(({ reason }) => `- ${linked(reason)}\n`)
      : ['The document needed no amendment.\n']),
  ].join('');
}

const linked = (text: string): string =>
  text.replaceAll('<', '&lt;').replaceAll(/https:\/\/[^\s),;]+/g, (address) => `<${address}>`);
