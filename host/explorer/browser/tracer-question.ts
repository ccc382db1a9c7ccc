/** The options of a tracer, and the transaction of a block's bundle that it is to watch. */
export interface TracerQuestion {
  /** Name of a tracer, or the source of one in JavaScript; `opcodeTracer` by default. */
  readonly tracer?: string
  /** Options of that tracer. */
  readonly tracerConfig?: Readonly<Record<string, unknown>>
  /**
   * Place in `transactions` of the one to trace, as debug_traceTransaction does; by default all of a bundle
   * of a block are, as debug_traceBlockByNumber does.
   */
  readonly transaction?: number
}
