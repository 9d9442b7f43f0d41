-- A filter of pandoc for the EPUB, whose rules are stricter than a browser's.

-- A division without attributes must not be in a <summary>.
function Div(div)
  if div.identifier == "" and #div.classes == 0 and #div.attributes == 0 then
    return div.content
  end
end

-- A formula needs its namespace, and a variable is not a value of an attribute.
function RawBlock(block)
  local namespace = '<math xmlns="http://www.w3.org/1998/Math/MathML" '
  block.text = block.text:gsub("<math ", namespace)
  block.text = block.text:gsub(' visibility="var%b()"', "")
  return block
end

-- The terms of the glossary have ids, as in the pages of mdBook.
function DefinitionList(list)
  for _, item in ipairs(list.content) do
    local words = pandoc.utils.stringify(item[1]):lower()
    local name = words:gsub("%s", "-"):gsub("[^%w_-]", "")
    item[1] = { pandoc.Span(item[1], { id = "term-" .. name }) }
  end
  return list
end

-- A link of a caption names a page of mdBook, which the EPUB does not have.
function Link(link)
  if link.attributes.href then
    return link.content
  end
  local name = link.target:match("glossary%.md__([%w_-]+)$")
  if name and name ~= "glossary" then
    link.target = "#term-" .. name
    return link
  end
end
