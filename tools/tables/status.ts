/** Why `run` returns, in the order of engine.wit's `status`. The number of each is its index. */
export const STATUSES = [
  { name: 'done', doc: 'The message has ended, and its outcome can be read.' },
  { name: 'needAccount', doc: 'An account is not known yet.' },
  { name: 'needStorage', doc: 'A slot is not known yet.' },
  { name: 'needCode', doc: 'Code is not known yet.' },
  { name: 'needBlockHash', doc: 'The hash of a block is not known yet.' },
  { name: 'callHost', doc: 'A precompile outside the module is called.' },
  { name: 'traceFull', doc: 'The trace must be read before the run continues.' },
  { name: 'yield', doc: 'The fuel is used up.' },
  { name: 'exhausted', doc: 'A region of memory is full: the run is discarded.' },
  {
    name: 'misuse',
    doc: '`run` without a message, or without the requested answer: the run is discarded.',
  },
] as const
