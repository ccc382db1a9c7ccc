/** Kinds of trace records. assembly/trace/trace-buffer.ts has their layouts. The number of each is its index + 1. */
export const TRACE_RECORDS = [
  { name: 'enter', doc: 'A frame is entered.' },
  { name: 'exit', doc: 'The latest open frame ends.' },
  { name: 'log', doc: 'The latest open frame emits a log.' },
  { name: 'step', doc: 'An opcode runs.' },
  { name: 'account', doc: 'An account that was looked up.' },
  { name: 'slot', doc: 'A slot that was looked up.' },
  { name: 'memory', doc: 'Bytes are written into the memory of a frame.' },
] as const
