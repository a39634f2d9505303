import { type InputSpec, integer, type NodeClass, ofType, shown } from '../nodeClass';
import type { Value } from '../values';

const LARGEST = 2n ** 63n - 1n;

/** Single values. */
export const primitives: Record<string, NodeClass> = {
	PrimitiveString: primitive('STRING', 'Text', shown(ofType('STRING'), { multiline: false })),
	PrimitiveInt: primitive('INT', 'Int', shown(integer(-LARGEST, LARGEST), { control_after_generate: 'fixed' })),
	PrimitiveBoolean: primitive('BOOLEAN', 'Boolean', shown(ofType('BOOLEAN'), {})),
};

function primitive(type: Value['type'], displayName: string, value: InputSpec): NodeClass {
	return {
		required: { value },
		outputs: [type],
		shown: { displayName, category: 'utilities/primitive', module: 'comfy_extras.nodes_primitive' },
		execute: (inputs) => [inputs.any('value')],
	};
}
