/** Files of the slow set in every run: one for each kind of failure that the fast set cannot show. */
export const ALWAYS: readonly { readonly path: string; readonly shows: string }[] = [
  { path: 'test/package/package.slow.test.ts', shows: 'the package installed and started' },
  { path: 'test/clients/readme.slow.test.ts', shows: "README's commands for developers" },
  { path: 'test/clients/readme-operators.slow.test.ts', shows: "README's commands for operators" },
  {
    path: 'test/clients/readme-contributors.slow.test.ts',
    shows: 'the commands of a checkout, and of the pages of its folders',
  },
  { path: 'test/faults/kill.sized.test.ts', shows: 'a kill loop' },
  { path: 'test/faults/floods.sized.test.ts', shows: 'floods' },
  { path: 'test/faults/floods-threads.sized.test.ts', shows: 'floods of RPC workers' },
  {
    path: 'test/network/network-start.slow.test.ts',
    shows: 'a network of validators under CometBFT',
  },
  { path: 'test/browser/explorer.slow.test.ts', shows: 'a page in the browsers' },
]
