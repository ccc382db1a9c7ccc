/** The options of a tracer, and the transaction of a block's bundle to trace. */
export interface TracerQuestion {
  /** Name of a tracer, or its JavaScript source; `opcodeTracer` by default. */
  readonly tracer?: string
  /** Options of that tracer. */
  readonly tracerConfig?: Readonly<Record<string, unknown>>
  /**
   * Index in `transactions` of the one to trace, as debug_traceTransaction does. By default all of a block's bundle
   * are traced, as debug_traceBlockByNumber does.
   */
  readonly transaction?: number
}
