export { convertValue } from './convert';
export { offeredFiles, takesNoFile } from './files';
export { findInput } from './find';
export { fileInputsOf, inputsOf, type SeedSigns, seedsOf } from './inputs';
export { nodesBehind, outputNodesOf } from './outputs';
export type { Definitions, FileKind, GraphInput, GraphOutput, InputKind, InputLimits, InputRole } from './types';
