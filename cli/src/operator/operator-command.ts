import { type Field, operations, type Shape } from './operations.ts'

export type OperatorOperation = keyof typeof operations

/** A command of the operator: the operation that it is, and what of it is not to be typed. */
export type OperatorCommand = {
  readonly operation: OperatorOperation
  /** Instead of what the contract says of the operation. */
  readonly says?: string
  readonly more?: string
  /** Fields of the request that are always the same. */
  readonly fixed?: Readonly<Record<string, string>>
  /** The fields of a row that are shown in a table; all if left out. Programs get all. */
  readonly columns?: readonly string[]
  /** What is said below the answer, with its fields in braces. */
  readonly after?: string
  /** Whether what is decided about is read first: a decision counts for exactly that. */
  readonly reads?: OperatorOperation
  /** Whether it may be done in the name of another member than the owner. */
  readonly inNameOf?: true
}

export function shapeOf(id: OperatorOperation): Shape {
  return operations[id]
}

/** What is typed of a request: by the name of its option, or in the order of the path. */
export function typedFields({ operation, fixed = {} }: OperatorCommand): [name: string, field: Field][] {
  return Object.entries(shapeOf(operation).fields).filter(([name]) => fixed[name] === undefined)
}
