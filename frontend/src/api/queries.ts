// SPDX-License-Identifier: Apache-2.0
import { QueryClient } from '@tanstack/react-query';

export const queries = new QueryClient();
