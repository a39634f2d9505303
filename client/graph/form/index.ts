export { convertValue } from './convert';
export { offeredFiles } from './files';
export { findInput } from './find';
export { fileInputsOf, inputsOf, seedsOf } from './inputs';
export { outputNodesOf } from './outputs';
export type { Definitions, FileKind, GraphInput, GraphOutput, InputKind, InputLimits, InputRole } from './types';
