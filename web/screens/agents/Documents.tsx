import { useQuery } from '@tanstack/react-query';
import { agentsApi } from '../../agents-api.ts';
import { useWorkspace } from '../../queries.ts';
import { AllOrSome, type Naming } from './AllOrSome.tsx';

export function Documents(naming: Naming) {
  const workspace = useWorkspace();
  const { data: sources = [] } = useQuery({
    queryKey: ['knowledge-all', workspace?.id],
    queryFn: () => agentsApi.knowledgeSources(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  return <AllOrSome many="documents" one="a document" there={sources} {...naming} />;
}
