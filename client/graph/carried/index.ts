export { carriedWorkflow } from './carriedWorkflow';
export type { Carried, CarrierKind } from './types';
