export { type CheckedServer, checkWorkflow, classesToCheck } from './checkWorkflow';
export { isModelName, modelFolder } from './folders';
export { CORE, likelyPack, missingClassesOf } from './packs';
export type { CheckFault, CheckNote, MissingClass, MissingNamed, WorkflowCheck } from './types';
