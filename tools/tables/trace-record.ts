/** Kinds of trace records, whose layouts stand where they are written: the number of each is its index + 1. */
export const TRACE_RECORDS = [
  { name: 'enter', doc: 'A frame is entered.' },
  { name: 'exit', doc: 'The newest open frame ends.' },
  { name: 'log', doc: 'The newest open frame emits a log.' },
  { name: 'step', doc: 'An opcode runs.' },
  { name: 'account', doc: 'An account that was looked up.' },
  { name: 'slot', doc: 'A slot that was looked up.' },
  { name: 'memory', doc: 'Bytes are written into the memory of a frame.' },
] as const
